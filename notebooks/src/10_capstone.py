# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 10 · A report you can defend
#
# A clinic has measured {{ten | X.shape[1]}} things in each of {{442 | len(X)}} patients and wants to know which of them matters most for predicting how the
# disease will progress. You fit one model to all of the patients and write a report. The next picture shows two of its pages: the ten
# measurements in order, once by one question and once by another. The names are still covered.
#
# *In this lesson: a real table and its data card, six questions about one sample, why the answers differ, how much of it
# is luck, which sentences survive, what you have learnt since lesson 00, and the whole report on one page. About 60 minutes; the exercise is a report of your own.*

# %% jupyter={"source_hidden": true}
from course_lib.measures import six_answers
from course_lib.plots import picture, plot_rankings
from course_lib.worlds import load_patients

X, progression = load_patients()
report = six_answers(X, progression, random_state=0)
letters = [chr(ord("A") + k) for k in range(X.shape[1])]
covered = report.ranks[["Q2", "Q5 at most"]].set_axis(letters)
ax = plot_rankings(covered)
ax.figure.set_size_inches(5.4, 4.6)
picture(
    ax,
    alt="Ten covered measurements, A to J, in the order of two questions: to this model by "
    "unique information, and to any good model, at most. Most of the lines cross.",
)
#| holds X.shape[1] == 10
#| says Two pages of the report: ten measurements, their names still covered, in the order of two questions. The same patients, the same kind of model: which page is wrong?

# %% [markdown]
# The clinic telephones: "Both pages are about the same patients and the same kind of model. Which of the two is wrong?" Neither is.
# Nothing was shuffled at random, and both orders are exact for these patients. What do you answer? Make a note before you go on.
#
# ## Before we start
#
# Three questions on what came before, from memory.

# %%
from course_lib.learner import may_i_say, post_test, predict, recall, reveal

recall("10")

# %% [markdown]
# ## 10.1 The data card
#
# A report begins with where its numbers come from. This is as much as is known:
#
# | | |
# |---|---|
# | what | {{442 diabetes patients, ten measurements | X.shape == (442, 10)}} at the start, one a year later |
# | source | Efron, Hastie, Johnstone and Tibshirani (2004); scikit-learn ships it as `load_diabetes` |
# | measurements | age, sex (coded 1 and 2), bmi, blood `pressure`, and from a blood sample: total `cholesterol`, `LDL`, `HDL`, the `ratio` of total cholesterol to HDL, the logarithm of `triglycerides`, `glucose` |
# | response | {{`progression` | progression.name == "progression"}} of the disease after a year, in standard deviations from its mean: its variance is 1 |
# | not known | how the patients were chosen, what the score of progression consists of, which sex is coded 1, how each number was obtained |
# | not for | decisions about a patient, statements about other patients, and any statement about what a treatment would change |
#
# We shall come back to the last entry of the line *not known*.

# %% slideshow={"slide_type": "notes"}
X.describe().T[["mean", "std", "min", "max"]].round(1)

# %% [markdown]
# ## 10.2 One sample, one model, six answers
#
# The model is least squares, fitted to {{all 442 patients | len(X)}}. It leaves {{about half | 0.45 < error < 0.55}} of the variance unexplained. With it, five of the six questions have exact answers on
# the sample, and only the fourth depends on how the patients are divided. `six_answers` calls the measures of the lessons before, one after the other; you can call it on
# a table of your own.

# %%
from sklearn.linear_model import LinearRegression

model = LinearRegression().fit(X, progression)
error = ((progression - model.predict(X)) ** 2).mean()
report = six_answers(X, progression, slack=0.05, random_state=0)
round(float(error), 2)

# %% [markdown]
# Here are the six questions with the measures that answer them. All but the third are differences of squared errors. The third is a contribution to a
# prediction, and is ranked by its size, whatever its sign. 0 means "not important". "Predict" means by least squares from the other columns.
#
# | | important to ... | measure, on these 442 patients |
# |---|---|---|
# | Q1 | this **model** | how much the error grows when the column is exchanged between patients, over all pairs |
# | Q2 | this model, by its **unique information** | the same, exchanging only the part of the column that the others cannot predict |
# | Q3 | one **prediction** | the contribution $b_j (x_j - \bar x_j)$ to the prediction for the first patient of the table |
# | Q4 | the **algorithm**, least squares | how much the error grows when least squares is fitted without the column; each patient is predicted by a fit to others (ten folds) |
# | Q5 | **any good model** | the least and the most that a linear model within 5 % of the least error relies on the column |
# | Q6 | any good model, by its unique information | the most that such a model relies on the part that the others cannot predict |
#
# Q1 and Q2 describe this model, so we may read them on the fitted patients. Q4 is used to decide about the
# next model, so its patients must be new. On the fitted patients none of the three can be negative. The range of Q5 has two ends, so it gives two rankings. Ranked by the lower end, all columns that some good model can do
# without share the last places; in the next picture their lines meet on a grey bar that spans these places. Q6 has two ends in Rudin's notes as well; here it is ranked by the upper one.

# %%
predict("10.1")

# %% tags=["after-10-1"] jupyter={"source_hidden": true}
leader, rival = report.ranks[["Q2", "Q5 at most"]].idxmin()  # first on the two pages
winners = set(report.ranks.drop(columns="Q3").idxmin())
more = "one or two more" if len(winners) < 5 else "three or four more"
answer = "no other: those two share all first places" if len(winners) == 2 else more
ax = plot_rankings(report.ranks, highlight=[leader, rival])
ax.figure.set_size_inches(7.0, 4.6)
picture(
    ax,
    alt="Places of ten measurements by seven answers, with these folds. bmi: 3, 1, 2, 1, 1, 6, 1. "
    "Cholesterol: 1, 5, 1, 5, shares 3 to 10, 1, 5. Age is last by every answer; at the lower "
    "end of Q5 it shares that place with seven others.",
)
#| holds report.ranks.loc["bmi"].tolist() == [3, 1, 2, 1, 1, 6, 1]
#| holds report.ranks.loc["cholesterol"].tolist() == [1, 5, 1, 5, 10, 1, 5]
#| holds (report.ranks.loc["age"] == 10).all() and (report.ranks["Q5 at least"] == 10).sum() == 8
#| says Of the six rankings without Q3, bmi leads {{four | (report.ranks.drop(columns="Q3").idxmin() == "bmi").sum()}} and cholesterol {{two | (report.ranks.drop(columns="Q3").idxmin() == "cholesterol").sum()}}. Each of them is fifth or lower at least once where the other one leads. The grey bar: eight measurements share these places, since some good model does without each.

# %%
reveal("10.1", answer)

# %% [markdown]
# ## 10.3 Keep the model, or fit it again?
#
# Take cholesterol, and two of its places: the one to this model (Q1), and the one to least squares as an algorithm (Q4).

# %%
predict("10.2")

# %% jupyter={"source_hidden": true}
change = abs(report.values.loc[rival, "Q4"]) / error
grows = "grows by about a tenth" if change < 0.5 else "doubles as well"
reveal("10.2", "changes by less than one per cent" if change < 0.01 else grows)

# %% tags=["after-10-2"] slideshow={"slide_type": "notes"}
report.values.round(3)

# %% [markdown]
# These are the values behind the places, in shares of the variance of the progression (Q3 in its standard deviations).
#
# > **What the textbook says.** Rudin's notes read a conditional reliance that shows nothing as a sign that the other variables can replace
# > this one. It can also mean that the model ignores the variable. Both cases stand in the column of the unique information (Q2). Cholesterol is near
# > 0 although this model gives it the largest standardised coefficient of all: the other columns can replace it. Age is near 0 because its
# > coefficient is.
#
# Put Q1 beside Q2. Where Q1 is large and Q2 small, the others can replace the column. Where both are small, this model hardly uses it, and it may be
# replaceable as well: of the variance of age the other columns predict {{18 % | 100 * (1 - report.values.loc["age", "Q2"] / report.values.loc["age", "Q1"])}}, of that of HDL {{94 % | 100 * (1 - report.values.loc["HDL", "Q2"] / report.values.loc["HDL", "Q1"])}}.
#
# ## 10.4 How many different orders?
#
# Look at the picture once more: bmi and pressure are first and second in several of its columns. Is that luck? Suppose for a moment
# that the fourth question, too, were asked about the patients that were fitted to.

# %%
predict("10.3")

# %% tags=["after-10-3"] jupyter={"source_hidden": true}
from course_lib.measures import algorithm_reliance

on_the_fit = algorithm_reliance(LinearRegression(), X, progression, as_ratio=False)
headings = ["Q2, unique part", "Q6, unique part, at most", "Q4 on the fitted patients"]
one_order = report.values[["Q2", "Q6"]].assign(Q4=on_the_fit.importances_mean)
one_order = one_order.set_axis(headings, axis=1).sort_values(
    headings[0], ascending=False
)
same = (one_order.rank().nunique(axis=1) == 1).all()
one_order.round(4)
#| says Three questions, {{one order | same}}: on the fitted patients Q2 (unique part, this model), Q6 (unique part, any good model) and Q4 (the algorithm) rank the ten measurements alike.

# %% jupyter={"source_hidden": true}
three = "Q2, Q4 and Q6: the unique part to this model, the algorithm, the unique part to any"
reveal("10.3", f"{three} good model" if same else "no three of them")

# %% [markdown]
# ## 10.5 How much of it was luck?
#
# These were 442 patients. Other patients would have given other numbers, and an order that depends on who was drawn is not yet a finding. So
# we draw half of the patients at random, a hundred times, and ask all the questions but Q3, which is about one patient, about each half alone.

# %%
predict("10.4")

# %%
from course_lib.studies import in_random_halves

halves = in_random_halves(X, progression, 100, random_state=0)
of_leader, of_rival = (halves.xs(name, level="feature") for name in (leader, rival))
above = (of_rival > of_leader).sum().rename(f"halves with {rival} above {leader}")
reveal("10.4", int(above["Q1"]))

# %% tags=["after-10-4"]
above.to_frame().T
#| says By Q2, Q4, Q6 and the lower end of Q5 bmi is ahead {{in every half | (above[["Q2", "Q4", "Q5 at least", "Q6"]] == 0).all()}}, by the upper end of Q5 {{in none | above["Q5 at most"] == 100}}. By Q1 it depends on who was drawn.

# %% tags=["after-10-4"] jupyter={"source_hidden": true}
from course_lib.plots import plot_repeats
from course_lib.questions import Q1
from course_lib.results import Importances

wide = halves["Q1"].unstack("half").loc[X.columns]
to_each_fit = Importances(
    wide.to_numpy(), tuple(X), "model reliance e_switch - e_orig", Q1
)
picture(
    plot_repeats(to_each_fit),
    alt="Reliance of least squares on ten measurements in a hundred halves. The cloud of "
    "cholesterol reaches from 0 to far beyond all others; that of bmi is narrow.",
)
#| holds wide.loc["cholesterol"].min() < 0.05 and wide.max(axis=1).nlargest(2).iloc[0] > 1.3 * wide.max(axis=1).nlargest(2).iloc[1]
#| says Each faint dot is one random half of the patients, the large one their mean. Cholesterol reaches from near 0 to far beyond all others; bmi stays within {{a much narrower range | 3 * wide.loc["bmi"].std() < wide.loc["cholesterol"].std()}}.

# %% [markdown]
# How wide the cloud of a column is shows how much its value by Q1 owes to who was drawn; the filled marker is the mean over the halves. A wide cloud belongs to a coefficient that can be traded against
# those of other columns. Which columns are these, and why just these?
#
# ## 10.6 Why cholesterol?
#
# Three models within {{5 % | 100 * good.epsilon / error}} of the least error: the good one that relies on cholesterol least, the fit, and the good one that relies on it most. Each
# coefficient is multiplied by the standard deviation of its column.

# %%
import pandas as pd

from course_lib.measures import LinearRashomonSet

good = LinearRashomonSet(X, progression, epsilon=0.05 * error)
ends = good.model_class_reliance(rival, as_ratio=False)
models = {"relies least": ends.low_model, "fit": model, "relies most": ends.high_model}
pd.DataFrame({name: m.coef_ * X.std() for name, m in models.items()}).round(2)
#| says Standardised coefficients of the best fit and of the two models within 5 % of the least error that rely least and most on cholesterol. From left to right cholesterol goes down; LDL, HDL, triglycerides and, a little, the ratio make up for it. The other five {{hardly move | (lambda t: (t.max(axis=1) - t.min(axis=1)).drop(["cholesterol", "LDL", "HDL", "triglycerides", "ratio"]).max() < 0.05)(pd.DataFrame({name: m.coef_ * X.std() for name, m in models.items()}))}}.

# %% [markdown]
# From left to right cholesterol goes down, and LDL, HDL, triglycerides and, a little, the ratio go up to make up for it. The other five hardly move. (The model that relies least has a small coefficient of the other sign: exchanging cholesterol even lowers its
# error, by {{0.01 | -ends.low}}.) What ties just these together?
#
# A doctor would know why cholesterol, LDL, HDL and triglycerides can be traded against each other. LDL is often not measured but computed, by a formula of Friedewald, Levy and Fredrickson (1972); the table holds the logarithm of the triglycerides:
#
# $$\text{LDL} \approx \text{cholesterol} - \text{HDL} - \tfrac{1}{5}\,\text{triglycerides}$$

# %%
import numpy as np

from course_lib.worlds import patients_by_formula

computed = patients_by_formula(X)  # LDL by the formula above, and the ratio
equal = ((X[computed.columns] - computed).abs() < 0.01).sum()
max(equal, default=0)

# %% [markdown]
# For {{438 | equal["LDL"].item()}} of the 442 patients the formula gives the LDL of the table to a hundredth of a unit, so it was surely computed in this way. And the `ratio` is
# cholesterol divided by HDL, for most patients rounded to a whole number; for {{nine | ((X["ratio"] - computed["ratio"]).abs() > 0.5).sum() == 9}} it is further off than rounding explains. The table has ten columns, but in effect eight measurements. By least squares the
# other nine columns predict {{98 % | 100 * LinearRegression().fit(X.drop(columns="cholesterol"), X["cholesterol"]).score(X.drop(columns="cholesterol"), X["cholesterol"])}} of the variance of cholesterol. Put into this formula, three of them predict {{more than 99.999 % | (X["LDL"] - computed["LDL"]).var() < 1e-5 * X["cholesterol"].var()}} of it. If only what the formula leaves over were exchanged, Q2 of
# cholesterol would fall from {{0.008 | report.values.loc["cholesterol", "Q2"]}} to {{less than 0.00001 | 2 * model.coef_[4] ** 2 * (X["LDL"] - computed["LDL"]).var() < 0.00001}}.

# %%
predict("10.5")

# %% tags=["after-10-5"] jupyter={"source_hidden": true}
left_out = [name for name in computed if name not in (leader, rival)]
measured = six_answers(X.drop(columns=left_out), progression, random_state=0)
place = measured.ranks.loc[rival, "Q5 at most"]
middle = "second to fourth" if place > 1 else "first, as before"
answer = "in the lower half" if place > 4 else middle
picture(
    plot_rankings(measured.ranks, highlight=[leader, rival]),
    alt="Places of the eight measured columns, with these folds and the first patient. Cholesterol "
    "is sixth by every answer but one, where it shares 4 to 8; bmi is first or second by all.",
)
#| holds measured.ranks.loc["cholesterol"].tolist() == [6, 6, 6, 6, 8, 6, 6]
#| holds (measured.ranks["Q5 at least"] == 8).sum() == 5 and measured.ranks.loc["bmi"].max() == 2
#| says Without the two computed columns cholesterol is sixth of eight, by every answer but the lower end of Q5, and bmi is first or second by all.

# %%
reveal("10.5", answer)

# %% [markdown]
# ## 10.7 Turn the knob
#
# The two columns of the next picture are any two of the answers about all ten columns. Below it stand the sentences that the two measures license about
# the highlighted variable. Two of the variables come first by one answer, and by another answer in the lower half or among those that share the last places. Find one of them
# and read its two sentences aloud: there is no contradiction between them, only between their headlines.

# %% slideshow={"slide_type": "skip"}
from course_lib.widgets import report_explorer

explorer = report_explorer()
explorer.figure(left="Q1", right="Q2", variable=X.columns[-1])

# %%
explorer

# %% [markdown]
# ## 10.8 May I say this?
#
# The picture of all ten columns once more, and eight sentences that somebody would like to print. Of each sentence ask first which of the questions it answers: about this model or others, on which
# patients, with the whole column or its unique part. Then look up the place in the picture, and ask whether the sentence says more than the place does.

# %% jupyter={"source_hidden": true}
ax = plot_rankings(report.ranks, highlight=[leader, rival])
ax.figure.set_size_inches(7.0, 4.6)
picture(
    ax,
    alt="Places of ten measurements by seven answers: bmi first by Q2, Q4, Q6 and the lower "
    "end of Q5; cholesterol first by Q1, Q3 and the upper end of Q5; HDL ninth by Q2.",
)
#| says All ten columns by seven answers. bmi is first by {{four | (report.ranks.idxmin() == "bmi").sum()}} of them, cholesterol by {{three | (report.ranks.idxmin() == "cholesterol").sum()}}. Eight sentences follow that somebody would like to print: which may stand?
#| holds report.ranks.loc["HDL", "Q2"] == 9

# %%
may_i_say("10.a")

# %% [markdown]
# ## 10.9 Ten questions, again
#
# In lesson 00 you answered ten questions, one for each misconception that this course wants to break, and nobody told you what was
# right. Here they are again. This time you get an answer to your answers.
#
# The picture below the questions then shows what has changed. Each row is the question on one common mistake. Left of the middle the answer was wrong, right of it
# right, and the further out, the surer you were. Look for arrows to the right, and for answers far out on the left: such answers end up in reports. If you call
# yourself 75 % sure, three in four of those answers should be right; the legend says whether yours were. Until both tests are answered, the picture shows a made-up learner.

# %%
post_test()

# %% jupyter={"source_hidden": true}
from course_lib.learner import gain
from course_lib.plots import plot_gain

mine = gain(or_example=True)
who = mine.attrs["who"]
right = mine[["before", "after"]].sum().astype(int)
picture(
    plot_gain(mine, who=who),
    alt=f"Ten questions, answered by {who}: {right['before']} right before the course, "
    f"{right['after']} right after it.",
)
#| says Each row is one question, before and after the course, here of a made-up learner. Left of the middle the answer was wrong, and the further out, the surer the learner was.

# %% [markdown]
# ## 10.10 The whole report on one page
#
# You have written the report by hand, so that you can judge one that is made for you. `importance_card` takes other models than least squares, and tables with categories and missing values, if
# the model takes them. For each question that has an answer it prints a ranking, a sentence that the numbers license and one that they do not; then where the rankings differ, in how many random halves they still do,
# and what could not be computed. Before you run it: which lines of your report must be on it?

# %% slideshow={"slide_type": "skip"}
from course_lib.studies import importance_card

card = importance_card(model, X, progression, n_halves=20)
card

# %% [markdown]
# Here is what it says of one question:
#
# | on the card | Q1, important to this model |
# |---|---|
# | ranking | cholesterol {{0.499 | card.values.loc["cholesterol", "Q1"]}} (over all pairs it was {{0.480 | report.values.loc["cholesterol", "Q1"]}}), triglycerides {{0.428 | card.values.loc["triglycerides", "Q1"]}}, bmi {{0.207 | card.values.loc["bmi", "Q1"]}} and so on; cholesterol is at places {{1 | min(half["Q1"].rank(ascending=False)["cholesterol"] for half in card.halves.values())}} to {{6 | max(half["Q1"].rank(ascending=False)["cholesterol"] for half in card.halves.values())}} in random halves, each model measured on the other half |
# | licensed | "{{Shuffling cholesterol among the 442 rows given raises this model's mean squared error by 0.499 on average, more than shuffling any other column. | card.licences["Q1"].licensed}}" |
# | not licensed | "{{age can be left out. | card.licences["Q1"].not_licensed}}" |
#
# An importance card has this for every question that it can answer (for Q3, which is about one patient, without places in random halves), and then the pairs of rankings that differ, each with the number of random halves in which two columns still change places.
#
# Now compare it with your report. For Q5 and Q6 it has {{the same numbers | (report.values - card.values)[["Q5 at least", "Q5 at most", "Q6"]].abs().max().max() < 1e-6}}. Q1 and Q2
# {{differ a little | (report.values - card.values)[["Q1", "Q2"]].abs().max().max() < 0.05}}, because we took all pairs, while the card shuffles and draws, which works for
# other models, too. Q3 starts from 100 patients instead of all, and Q4 has five folds instead of ten, so that {{small values of Q4 change places | (report.ranks["Q4"] != card.ranks["Q4"]).any() and list(report.values["Q4"].nlargest(5).index) == list(card.values["Q4"].nlargest(5).index)}}. In its halves, which measure each model on the other half, cholesterol's place to this model is unsteady as well: {{1 | min(half["Q1"].rank(ascending=False)["cholesterol"] for half in card.halves.values())}} to {{6 | max(half["Q1"].rank(ascending=False)["cholesterol"] for half in card.halves.values())}} (in the hundred halves of 10.5: 1 to {{10 | halves["Q1"].groupby("half").rank(ascending=False).xs("cholesterol", level="feature").max()}}). One thing is missing: that LDL was computed from three other columns. No measure
# finds that. Somebody has to ask where each column comes from.
#
# ## Keep this
#
# A report on importance consists of sentences that name what a variable is important to, on which rows, by which
# measure, with what spread, and what none of them implies. **When two correct measures disagree, say which two questions were asked; then
# look for the columns that can replace each other, and ask where they come from.**
#
# | question | measure | value that means "not important" | caveat |
# |---|---|---|---|
# | Q1 to Q6, side by side | `six_answers(X, y)` for least squares, `importance_card(model, X, y)` for other models, too | 0 in each column | compare places, not values; draw the rows again before you print a place; nothing causal |
#
# What is still wrong: the model is a straight line, the 442 patients are whoever they were, and no place in this report says what would happen if somebody changed
# anything. No lesson mends that. A data card that says so is the best there is.

# %% [markdown]
# ## Further: a theorem, held-out patients, another tolerance
#
# ### Why three questions have one order
#
# Write $b_j$ for the coefficient of least squares and $s_j$ for the standard deviation (with $n-1$) of the part of $x_j$ that least squares cannot predict
# from the other columns. Let $a_j = |b_j|\, s_j$. On the sample of the fit, with squared error and an intercept, all as differences (lesson 09):
#
# $$Q2 = 2 a_j^2, \qquad Q4 = \tfrac{n-1}{n}\, a_j^2, \qquad Q6_{\text{at most}} = 2 a_j \Big(a_j + \sqrt{\tfrac{n}{n-1}\,\epsilon}\Big)$$
#
# All three grow with $a_j$ and with nothing else that belongs to column $j$, so their orders are one. The notes' range for Q6 has a lower end, too, and the theorem is not
# about that one. And $a_j$ is the size of the *t* statistic of every
# regression table, up to a factor that all columns share.

# %%
n, p = X.shape
centred = X - X.mean()
spread = np.sqrt(np.diag(np.linalg.inv(centred.T @ centred)) * n * error / (n - p - 1))
t = pd.Series(np.abs(model.coef_) / spread, X.columns)
t.sort_values(ascending=False).round(2).to_frame("size of t")

# %% [markdown]
# Q1 goes by another column of such tables: at the fit it is $2 b_j^2 s^2$ with the standard deviation $s$ of the *whole* column, so it orders by the
# size of the standardised coefficient. If you have ever wondered which of the two columns to read, you were choosing between Q1 and Q2.
#
# ### Would held-out patients have changed Q1?
#
# We measured what the model relies on with the patients it was fitted to. Here is Q1 again, {{ten times | folds == 10}} fitted to {{nine tenths | folds == 10}} of the
# patients and measured on the last tenth.

# %%
from course_lib.studies import held_out_reliance

folds = 10
held_out = held_out_reliance(X, progression, n_folds=folds, random_state=0)
pd.DataFrame({"fitted": report.values["Q1"], "held out": held_out}).round(2) + 0.0

# %% [markdown]
# With 442 patients, ten coefficients and {{ten folds | folds == 10}} the two differ by {{less than a tenth | (held_out - report.values["Q1"]).abs().max() < 0.1}} of the variance, and the order of the leading five is {{the same | list(held_out.nlargest(5).index) == list(report.values["Q1"].nlargest(5).index)}}. With 30
# patients they would differ by more than that; lesson 03 has examples. *For you:* why must Q4 be cross-fitted here, while Q1 may be read on the fitted patients?
# (Compare your answer with the end of 10.2.)
#
# ### Another tolerance
#
# "Good" meant within 5 % of the least error. Nobody has told us to take 5.

# %% jupyter={"source_hidden": true}
from course_lib.plots import plot_curves
from course_lib.studies import least_reliance

slacks = np.array([0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.08, 0.1, 0.12, 0.14, 0.16, 0.2])
lows = least_reliance(X, progression, [leader, rival], slacks)
ax = plot_curves(100 * slacks, lows)
_ = ax.set(xlabel="tolerated extra error, per cent", ylabel="least reliance")
ax.set_xticks(range(0, 21, 2), labels=range(0, 21, 2))
picture(
    ax,
    alt="The least that a good model relies on bmi falls from about 0.21 at no extra error to 0 "
    "at about 14 per cent; for cholesterol it falls from about 0.48 to 0 before 1 per cent.",
)
#| holds round(lows["bmi"][0], 2) == 0.21 and round(lows["cholesterol"][0], 2) == 0.48
#| holds lows["bmi"][8] > 0 > lows["bmi"][10] and lows["cholesterol"][3] < 0

# %% [markdown]
# Each curve reaches 0 at the price of leaving the column out: {{14 % | 100 * on_the_fit.importances_mean[2] / error}} for bmi, {{less than 1 % | on_the_fit.importances_mean[4] < 0.01 * error}} for cholesterol. Up to that tolerance every good linear model needs the
# column. That is lesson 09's rule, and it makes the tolerance visible: at 20 % some good linear model does without bmi, too. *For you:* at which tolerance would
# you call a model "as good" for a clinic, and who should decide it?

# %% [markdown]
# ## Practise
#
# The exercise [10_capstone](../exercises/10_capstone/10_capstone.ipynb) is yours: other data, 178 wines; six numbers that are checked, one that says whether a disagreement
# survives, somebody else's card to criticise, and half a page that a person reads. When you have a table of your own, `import course_lib; course_lib.ask()` leads from your
# situation to the question, the measure and its caveat, and to the card. Your progress so far:

# %%
from course_lib.learner import progress

progress("10")

# %% [markdown]
# ---
# {{times}}
#
# *Sources.* Rudin's notes on variable importance for the six questions; Fisher, Rudin and Dominici (2019) for model class reliance; Efron,
# Hastie, Johnstone and Tibshirani (2004) for the patients, as shipped by scikit-learn; Friedewald, Levy and Fredrickson (1972) for the formula of LDL; Forina
# and colleagues (1991) for the wines of the exercise.
#
# *Words of this lesson:* [importance card](glossary.md#importance-card). All words and symbols are in the [glossary](glossary.md), the works in the [references](references.md), and all
# lessons and measures on the map at the end of [lesson 00](00_six_questions.ipynb).
