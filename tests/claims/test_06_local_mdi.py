"""The claims of lesson 06: exact where it is exact, else over several seeds and settings."""

from itertools import combinations, permutations
from time import process_time

import numpy as np
import pandas as pd
import pytest
from depth import at_most
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split

from course_lib.measures import (
    asymptotic_local_mdi,
    asymptotic_mdi,
    in_bag_counts,
    local_mdi,
    mdi,
    tree_game,
    tree_shap,
    unbiased_mdi,
)
from course_lib.models import shapley_values
from course_lib.studies import (
    CANDIDATES,
    KS,
    SAMPLES,
    digit_images,
    explained_digits,
    explained_display,
    stored_agreements,
)
from course_lib.studies.digits import agreement, explain
from course_lib.worlds import Categorical, make_led, make_rare

SEEDS = range(at_most(6, 6, 10))
each_seed = pytest.mark.parametrize("seed", SEEDS[: at_most(3, 3, 12)])
N_TREES = 40


def local(law, x, K=1):
    return asymptotic_local_mdi(law, x, K).importances_mean


@pytest.fixture(scope="module")
def led():
    return Categorical(*make_led())


@pytest.fixture(scope="module")
def rows():
    return make_led()[0].to_numpy()


def extra_trees(K, seed, n_trees=N_TREES):
    train, _, y_train, _ = digit_images()
    forest = ExtraTreesClassifier(n_trees, max_features=K, criterion="entropy", random_state=seed)
    return forest.fit(train, y_train)


@pytest.fixture(scope="module")
def forests():
    """Forests with K = 8, one per seed."""
    return [extra_trees(8, seed) for seed in SEEDS]


@pytest.fixture(scope="module")
def explained(forests):
    """For each seed, fifteen training images and fifteen held-out ones, explained with K = 8."""
    train, held_out, y_train, y_held_out = digit_images()

    def some(images, digits, seed):
        chosen = np.random.default_rng(seed).choice(len(images), 15, replace=False)
        return images[chosen], digits[chosen]

    return [
        (
            explain(forest, *some(train, y_train, seed)),
            explain(forest, *some(held_out, y_held_out, seed)),
        )
        for seed, forest in enumerate(forests)
    ]


# The alarm


def test_the_alarm_gains_on_a_silent_night_and_loses_on_a_ringing_one():
    """Varies: kind of night."""
    alarm = Categorical(*make_rare())
    silent, ringing = local(alarm, [0])[0], local(alarm, [1])[0]
    before = -0.1 * np.log2(0.1) - 0.9 * np.log2(0.9)
    assert (silent, ringing) == pytest.approx((before, before - 1))
    assert (round(silent, 3), round(ringing, 3)) == (0.469, -0.531)
    assert 0.8 * silent + 0.2 * ringing == pytest.approx(alarm.mutual_information([0]))
    assert alarm.mutual_information([0]) / before > 0.5  # more than half of the uncertainty


def test_with_two_skewed_switches_the_one_that_is_on_alone_has_a_negative_importance():
    """Varies: how often the switches are on."""
    for p in (0.1, 0.3, 0.4):
        X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        on = X.sum(axis=1)
        law = Categorical(X, X.min(axis=1), weights=p**on * (1 - p) ** (2 - on))
        x1, x2 = local(law, [1, 0])

        def h(q):
            return -q * np.log2(q) - (1 - q) * np.log2(1 - q)

        assert x1 == pytest.approx((h(p**2) - h(p)) / 2) and x1 < 0 < x2
        assert x2 == pytest.approx((h(p**2) + h(p)) / 2)
    assert min(local(law, [1, 1])) > 0


# The display


def test_along_top_upper_left_lower_left_eight_three_and_one_digits_remain(led, rows):
    """Varies: nothing, it is exact."""
    left = [led.entropy_at(rows[2], [0, 1, 4][:k]) for k in range(4)]
    assert left == pytest.approx(np.log2([10, 8, 3, 1]))
    assert led.entropy_at(rows[2], [5]) == pytest.approx(0)  # the lower right alone settles it


def test_over_all_digits_x6_is_last_and_for_the_2_it_is_first(led, rows):
    """Varies: nothing, it is exact."""
    assert np.argmin(asymptotic_mdi(led).importances_mean) == 5
    assert np.argmax(local(led, rows[2])) == 5


@pytest.mark.parametrize("K", [1, 3, 7])
def test_every_digit_adds_up_to_all_bits_and_the_digits_average_to_the_global_value(led, rows, K):
    """Varies: K, digit."""
    table = np.array([local(led, x, K) for x in rows])
    np.testing.assert_allclose(table.sum(axis=1), np.log2(10))
    np.testing.assert_allclose(table.mean(axis=0), asymptotic_mdi(led, K).importances_mean)
    assert table.min() > -1e-12  # no negative value


def test_for_most_digits_the_most_important_segment_is_dark(led, rows):
    """Varies: digit."""
    brightest = [np.argmax(local(led, x)) for x in rows]
    dark = [bool(x[m] == 0) for x, m in zip(rows, brightest, strict=True)]
    assert brightest[:4] == [3, 0, 5, 1] and all(dark[:4])  # those named in the text
    assert sum(dark) == 8


@each_seed
def test_three_hundred_trees_estimate_the_exact_importances_of_the_2(led, rows, seed):
    """Varies: seed."""
    X, y = make_led()
    forest = ExtraTreesClassifier(300, max_features=1, criterion="entropy", random_state=seed)
    trees = forest.fit(X, y).estimators_
    values = np.array([local_mdi(tree, X.loc[[2]]).values[0] for tree in trees])
    standard_error = values.std(axis=0, ddof=1) / np.sqrt(300)
    assert np.all(abs(values.mean(axis=0) - local(led, rows[2])) < 4.5 * standard_error)
    everything, nothing = np.isclose(values[:, 5], np.log2(10)), np.isclose(values[:, 5], 0)
    assert 0.05 < everything.mean() < 0.3  # asked first in a seventh of the trees
    assert nothing.mean() > 0.2


def test_local_importances_are_shapley_values_of_the_local_game(led, rows):
    """Varies: digit."""
    for x in rows:
        worth = lambda S, x=x: led.entropy() - led.entropy_at(x, list(S))  # noqa: E731
        np.testing.assert_allclose(shapley_values(worth, 7), local(led, x), atol=1e-12)


def test_taking_any_one_segment_away_loses_nothing_of_the_2_and_the_4_and_something_of_the_rest(
    led, rows
):
    """Varies: digit, segment."""
    needed = {}
    for digit, x in enumerate(rows):
        six = [[j for j in range(7) if j != m] for m in range(7)]
        needed[digit] = {m for m, S in enumerate(six) if led.entropy_at(x, S) > 1e-12}
    assert [digit for digit in needed if not needed[digit]] == [2, 4]
    assert needed[8] == {2, 3, 4}  # upper right, middle, lower left
    assert local(led, rows[2]).min() > 0.05


def test_blanking_a_pixel_changes_nothing_where_it_is_blank_and_is_not_its_tree_shap_value(
    forests, explained
):
    """The pixel of the largest tree SHAP value; nor is the value what is lost if it alone is not
    known, in the game of the trees.

    Varies: forest, image (seen or not).
    """
    found = []
    for forest, both in zip(forests[: at_most(1, 2, 4)], explained, strict=False):
        for seen in both:
            for i, image in enumerate(seen.images):
                j = int(abs(seen.shap[i]).argmax())
                pair = forest.predict_proba([image, np.where(np.arange(64) == j, 0, image)])
                falls = -np.diff(pair[:, seen.read[i]])[0]
                unknown = [
                    np.subtract(*map(v, (range(64), sorted({*range(64)} - {j}))))
                    for v in (tree_game(t, image, output=seen.read[i]) for t in forest)
                ]
                found.append([image[j], falls, np.mean(unknown), seen.shap[i, j]])
    value, falls, unknown, shap = np.array(found).T
    assert np.mean(value == 0) > 0.3 and np.all(falls[value == 0] == 0)
    assert abs(shap).min() > 0.02
    assert np.mean(abs(falls - shap)) > 0.05 < np.mean(abs(falls - unknown))
    assert np.mean(abs(unknown - shap)) > 0.02


def test_with_competition_the_segment_that_knows_the_2_loses_half(led, rows):
    """Varies: K."""
    x6 = [local(led, rows[2], K)[5] for K in (1, 3, 7)]
    assert x6[1] < 0.5 * x6[0] and x6[2] < x6[1]
    assert x6 == pytest.approx([1.44, 0.71, 0.67], abs=0.005)  # as drawn
    x2 = [local(led, rows[2], K)[1] for K in (1, 3, 7)]
    assert x2 == pytest.approx([0.71, 1.07, 1.08], abs=0.0055)


def test_at_the_root_the_lower_right_segment_never_wins_against_another(led):
    """Varies: segment."""
    alone = [led.mutual_information([m]) for m in range(7)]
    assert np.argmin(alone) == 5 and np.sort(alone)[1] > alone[5] + 0.1


@pytest.mark.parametrize("depth", [1, 2])
def test_trees_that_are_not_fully_grown_do_not_give_the_shapley_values(led, rows, depth):
    """Why the lesson says "fully grown". Varies: depth, digit."""
    X, y = make_led()
    options = {"max_features": 1, "criterion": "entropy", "max_depth": depth, "random_state": 0}
    trees = ExtraTreesClassifier(300, **options).fit(X, y).estimators_
    for digit in (2, 7):
        values = np.array([local_mdi(tree, X.loc[[digit]]).values[0] for tree in trees])
        error = values.std(axis=0, ddof=1) / np.sqrt(len(trees))
        assert (abs(values.mean(axis=0) - local(led, rows[digit])) > 6 * error).any()


# Relevance


def test_a_coin_beside_the_display_is_worth_nothing_anywhere(rows):
    """Varies: row."""
    X = np.column_stack([np.vstack([rows, rows]), np.repeat([0, 1], 10)])
    law = Categorical(X, [*range(10)] * 2)
    for x in X:
        assert local(law, x)[7] == pytest.approx(0, abs=1e-12)


@each_seed
def test_a_variable_that_is_locally_irrelevant_scores_zero_there(seed):
    """y depends on x1 alone, whatever its law.

    Varies: law, row.
    """
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.1, 0.9, size=2)  # P(y = 1 | x1), the same for both values of x2
    X = np.array([[a, b] for a in (0, 1) for b in (0, 1) for _ in range(2)])
    y = np.tile([0, 1], 4)
    weights = 0.25 * np.where(y == 1, p[X[:, 0]], 1 - p[X[:, 0]])
    for x in ([0, 0], [0, 1], [1, 0], [1, 1]):
        assert local(Categorical(X, y, weights), x)[1] == pytest.approx(0, abs=1e-12)


def test_a_variable_that_turns_the_odds_round_scores_zero_and_is_relevant():
    """Varies: nothing, it is exact."""
    turn = Categorical([[0], [0], [1], [1]], [0, 1, 0, 1], weights=np.array([11, 1, 1, 3]) / 16)
    assert local(turn, [1])[0] == pytest.approx(0, abs=1e-12)
    assert turn.entropy() == pytest.approx(0.811, abs=5e-4)
    gain = local(turn, [0])[0]
    assert gain == pytest.approx(0.397, abs=5e-4)  # relevant, so not zero everywhere
    assert 0.75 * gain == pytest.approx(turn.mutual_information([0]))


# The mean


def test_the_mean_over_the_training_images_is_the_global_mdi_without_bootstrap(forests):
    """Varies: seed."""
    train = digit_images()[0]
    for forest in forests:
        mean = local_mdi(forest, train).mean().importances_mean
        np.testing.assert_allclose(mean, mdi(forest).importances_mean, atol=1e-12)


@each_seed
def test_with_bootstrap_the_plain_mean_is_close_and_wrong_and_weights_mend_it(seed):
    """Varies: seed."""
    train, _, y_train, _ = digit_images()
    forest = RandomForestClassifier(10, random_state=seed).fit(train, y_train)
    true = mdi(forest).importances_mean
    plain = local_mdi(forest, train).mean().importances_mean
    assert 1e-4 < abs(plain - true).max() < 0.2 * true.max()
    counts = in_bag_counts(forest, train)
    assert (counts == 0).mean() == pytest.approx(1 / np.e, abs=0.02)  # a third is missing
    weighted = [
        np.average(local_mdi(tree, train).values, axis=0, weights=counts[:, t])
        for t, tree in enumerate(forest.estimators_)
    ]
    np.testing.assert_allclose(np.mean(weighted, axis=0), true, atol=1e-12)


# Beside Saabas and Tree SHAP


def test_local_mdi_and_tree_shap_agree_well_but_are_not_the_same(explained):
    """Varies: seed, image."""
    for seen, _ in explained:
        assert 0.8 < agreement(seen.local, seen.shap).mean() < 0.97


@pytest.mark.parametrize("K", KS)
def test_in_each_of_the_lessons_forests_the_mean_agreement_on_training_images_is_about_09(K):
    """Varies: K, pair of measures."""
    for values in explained_digits(K, seen=True).agreements.values():
        assert 0.85 < values.mean() < 0.96


def test_more_trees_agree_a_little_more(explained):
    """Varies: seed, number of trees."""
    for seed, (seen, _) in enumerate(explained):
        fewer = explain(extra_trees(8, seed, n_trees=10), seen.images, seen.digits)
        more = agreement(seen.local, seen.shap).mean()
        assert 0 < more - agreement(fewer.local, fewer.shap).mean() < 0.2


def test_they_agree_less_on_images_that_the_trees_have_not_seen(explained):
    """Varies: seed, image."""
    for seen, new in explained:
        gap = agreement(seen.local, seen.shap).mean() - agreement(new.local, new.shap).mean()
        assert gap > 0.02


def test_on_new_images_saabas_and_tree_shap_are_closer_to_each_other(explained):
    """Varies: seed, image."""
    for _, new in explained:
        together = agreement(new.saabas, new.shap).mean()
        assert together > agreement(new.local, new.shap).mean()
        assert together > agreement(new.local, new.saabas).mean()


def test_the_agreement_grows_with_the_share_of_trees_that_agree(explained):
    """Varies: seed, image."""
    news = [new for _, new in explained]
    certainty = np.concatenate([new.certainty for new in news])
    agreements = np.concatenate([agreement(new.local, new.shap) for new in news])
    levels = np.digitize(certainty, [0.6, 0.9])
    means = pd.Series(agreements).groupby(levels).mean()
    assert means.is_monotonic_increasing and len(means) == 3
    for new in news:
        assert np.corrcoef(new.certainty, agreement(new.local, new.shap))[0, 1] > 0


def test_where_all_trees_agree_single_images_may_still_agree_less_than_on_average(explained):
    """Varies: seed, image."""
    found = np.array([agreement(seen.local, seen.shap) for seen, _ in explained])
    assert found.min() < found.mean() - 0.1


def tree_by_tree(forest, images):
    """Votes, the digit that the forest reads, and both measures, tree by tree."""
    import shap

    votes = np.array([tree.predict(images) for tree in forest]).astype(int)
    read = forest.predict(images).astype(int)
    shares = np.array(
        [
            shap.TreeExplainer(tree).shap_values(images)[np.arange(len(images)), :, read]
            for tree in forest
        ]
    )
    return votes, read, np.array([local_mdi(tree, images).values for tree in forest]), shares


@pytest.mark.parametrize(("K", "split"), [(1, 0), (64, 2), (8, 1), (8, 2)][: at_most(1, 2, 4)])
def test_local_mdi_counts_dissenting_trees_in_full_tree_shap_for_half_if_many_dissent(K, split):
    """Many: at least a third. Where fewer dissent, they count for more.

    Varies: K, split, forest, image, share of dissenting trees.
    """
    X, y = load_digits(return_X_y=True)
    X, images, y, _ = train_test_split(X, y, test_size=0.5, stratify=y, random_state=split)
    options = {"max_features": K, "criterion": "entropy", "random_state": split}
    forest = ExtraTreesClassifier(80, **options).fit(X, y)
    dissent = np.mean([tree.predict(images) != forest.predict(images) for tree in forest], axis=0)
    many, few = np.flatnonzero(dissent >= 1 / 3)[:40], np.flatnonzero(dissent < 1 / 3)
    few = few[dissent[few] >= 0.05][:30]
    images = images[np.r_[many, few]]
    votes, read, local, shares = tree_by_tree(forest, images)
    assent, root = votes == read, forest.estimators_[0].tree_.impurity[0]
    np.testing.assert_allclose(local.sum(axis=2), root)  # all bits, whatever the vote
    moved = shares.sum(axis=2)
    assert moved[~assent] == pytest.approx(-0.1, abs=0.01)
    assert moved[assent] == pytest.approx(0.9, abs=0.01)
    sides = [(~assent[:, i], assent[:, i]) for i in range(len(images))]
    single, group = (
        np.array([[size(shares[side, i]) for side in both] for i, both in enumerate(sides)])
        for size in (lambda s: abs(s).sum(axis=1).mean(), lambda s: abs(s.mean(axis=0)).sum())
    )
    assert 0.5 < (group / single)[:, 0].mean() < 0.85  # a part of it cancels
    ratio, more = np.split(group[:, 0] / group[:, 1], [len(many)])
    assert 0.4 < ratio.mean() < 0.58
    assert 0.2 < ratio.min() < 0.42 and 0.58 < ratio.max() < 0.8
    assert more.mean() > ratio.mean() + 0.08


@pytest.mark.parametrize(("K", "seed"), [(8, 0), (8, 1), (64, 0), (64, 1)])
def test_without_the_dissenting_trees_doubtful_images_agree_nearly_as_well_as_sure_ones(K, seed):
    """Nearly: dissent is most of the reason, but not all of it.

    Varies: K, seed, image.
    """
    forest, images = extra_trees(K, seed), digit_images()[1]
    certainty = forest.predict_proba(images).max(axis=1)
    doubtful, sure = np.flatnonzero(certainty < 0.6)[:60], np.flatnonzero(certainty >= 0.9)[:60]
    votes, read, local, shares = tree_by_tree(forest, images[np.r_[doubtful, sure]])

    def gap(trees):
        means = [
            np.array([values[trees[:, i], i].mean(axis=0) for i in range(len(read))])
            for values in (local, shares)
        ]
        found = agreement(*means)
        return found[len(doubtful) :].mean() - found[: len(doubtful)].mean()

    whole, rest = gap(np.full(votes.shape, True)), gap(votes == read)
    assert 0 < rest < 0.6 * whole


def test_on_most_held_out_images_most_trees_vote_with_the_forest(explained):
    """K = 8. Varies: seed, image."""
    assert np.mean([np.mean(new.certainty > 0.5) for _, new in explained]) > 0.75
    assert np.mean(explained_digits(8).certainty > 0.5) > 0.8  # the lesson's sixty images


def test_every_image_however_doubtful_shares_out_the_same_bits(explained, forests):
    """Varies: seed, image."""
    for (_, new), forest in zip(explained, forests, strict=True):
        root = forest.estimators_[0].tree_.impurity[0]
        np.testing.assert_allclose(new.local.sum(axis=1), root)
        assert new.certainty.min() < 0.9  # and some are doubtful


def test_on_training_images_every_tree_agrees(explained):
    """Varies: seed, image."""
    for seen, _ in explained:
        np.testing.assert_array_equal(seen.certainty, 1)


@each_seed
def test_with_growing_k_fewer_pixels_carry_the_credit_and_the_trees_are_smaller(seed):
    """Varies: seed, K."""
    held_out = digit_images()[1][:100]
    shares, leaves = [], []
    for K in (1, 8, 64):
        forest = extra_trees(K, seed, n_trees=20)
        sizes = np.sort(abs(local_mdi(forest, held_out).values), axis=1)
        shares.append(np.mean(sizes[:, -10:].sum(axis=1) / sizes.sum(axis=1)))
        leaves.append(np.mean([tree.get_n_leaves() for tree in forest]))
    assert shares[0] < shares[1] < shares[2]
    assert leaves[0] > leaves[1] > leaves[2]


def test_the_most_important_pixel_of_an_image_depends_on_the_seed(forests):
    """Varies: seed, image."""
    held_out = digit_images()[1][:50]
    largest = np.array([local_mdi(forest, held_out).values.argmax(axis=1) for forest in forests])
    depends = [len(set(column)) > 1 for column in largest.T]
    assert np.mean(depends) > 0.8


def test_on_the_drawn_image_other_seeds_keep_the_first_pixel_and_change_the_next_two():
    """Varies: seed."""
    new = explained_digits(8)
    worst = new.agreements["local MDI, tree SHAP"].argmin()
    drawn = np.argsort(-abs(new.local[worst]))[:3].tolist()
    others = [
        np.argsort(-abs(local_mdi(extra_trees(8, seed, 150), new.images[[worst]]).values[0]))[:3]
        for seed in range(1, 9)
    ]
    assert np.mean([marked[0] == drawn[0] for marked in others]) > 0.7
    assert np.mean([marked.tolist() != drawn for marked in others]) > 0.5


def test_on_the_image_of_least_agreement_the_largest_pixels_differ():
    """Varies: nothing, it is the drawn one."""
    new = explained_digits(8)
    worst = new.agreements["local MDI, tree SHAP"].argmin()
    assert abs(new.local[worst]).argmax() != abs(new.shap[worst]).argmax()


def test_in_one_tree_of_seven_the_lower_right_segment_of_the_2_gets_all_in_one_of_three_none(
    led, rows
):
    """Varies: order of asking, all of them."""
    alone = [led.entropy_at(rows[2], list(S)) for S in combinations(range(7), 6) if 5 not in S]
    assert max(alone) < 1e-12  # after the other six nothing is left
    contexts = [S for k in range(7) for S in combinations([0, 1, 2, 3, 4, 6], k)]
    drop = {
        frozenset(S): led.entropy_at(rows[2], list(S)) - led.entropy_at(rows[2], [*S, 5])
        for S in contexts
    }
    orders = permutations(range(7))
    drops = np.array([drop[frozenset(order[: order.index(5)])] for order in orders])
    assert np.isclose(drops, np.log2(10)).mean() == pytest.approx(1 / 7)
    assert np.isclose(drops, 0).mean() == pytest.approx(1 / 3)


@pytest.mark.parametrize("K", KS)
def test_tree_shap_takes_dozens_of_times_as_long_as_local_mdi_which_costs_a_prediction(K):
    """Varies: K (the size of the trees); sixty images, as in the lesson."""
    forest, images = extra_trees(K, 0), digit_images()[1][:60]
    tree_shap(forest, images[:1], output=0)  # imports shap

    def seconds(call):
        start = process_time()
        call()
        return process_time() - start

    prediction = min(seconds(lambda: forest.predict_proba(images)) for _ in range(3))
    local = min(seconds(lambda: local_mdi(forest, images)) for _ in range(3))
    shap = seconds(lambda: tree_shap(forest, images, output=0))
    assert local < 5 * prediction
    assert shap > 20 * local


def test_trees_that_split_at_thresholds_do_not_give_the_shapley_values_of_the_theorem():
    """Varies: row, seed. Eight equally likely rows; one variable has four values."""
    X = np.array([[a, b] for a in range(4) for b in range(2)])
    y = ((X[:, 0] == 1) | (X[:, 0] == 2)) ^ (X[:, 1] == 1)
    exact = np.array([local(Categorical(X, y), x) for x in X])
    for seed in range(2):
        options = {"max_features": 1, "criterion": "entropy", "random_state": seed}
        trees = ExtraTreesClassifier(400, **options).fit(X, y).estimators_
        values = np.array([local_mdi(tree, X).values for tree in trees])
        error = values.std(axis=0, ddof=1) / np.sqrt(len(trees))
        assert (abs(values.mean(axis=0) - exact) / error).max() > 10
        np.testing.assert_allclose(values.sum(axis=2), 1)  # while the sum is kept


# The bias


def noisy_sample(rng, n, agree):
    signal = rng.integers(2, size=n)
    y = np.where(rng.uniform(size=n) < agree, signal, 1 - signal)
    return np.column_stack([signal, rng.normal(size=(n, 2))]), y


@pytest.mark.parametrize("kind", [ExtraTreesClassifier, RandomForestClassifier])
def test_local_mdi_favours_continuous_noise_on_new_rows_as_on_fitted_ones(kind):
    """Varies: kind of forest, criterion, max_features, number of rows, seed."""
    for seed, (criterion, max_features, n) in enumerate(
        (("entropy", "sqrt", 300), ("gini", "sqrt", 300), ("entropy", 1, 150), ("entropy", 1, 600))
    ):
        rng = np.random.default_rng(seed)
        X, y = noisy_sample(rng, n, 0.75)
        new, _ = noisy_sample(rng, n, 0.75)
        options = {"criterion": criterion, "max_features": max_features, "random_state": seed}
        forest = kind(50, **options).fit(X, y)
        for rows in (X, new):
            signal, *noise = local_mdi(forest, rows).mean().importances_mean
            assert min(noise) > (1.4 if criterion == "entropy" else 1.0) * signal


@pytest.mark.parametrize("kind", [ExtraTreesClassifier, RandomForestClassifier])
def test_a_signal_right_in_nine_rows_of_ten_leads_and_the_noise_still_gets_credit(kind):
    """Varies: kind of forest, criterion, max_features, rows (fitted or new), seed."""
    for seed, (criterion, max_features) in enumerate((("entropy", 1), ("gini", 1), ("gini", None))):
        rng = np.random.default_rng(seed)
        (X, y), (new, _) = (noisy_sample(rng, 300, 0.9) for _ in range(2))
        options = {"criterion": criterion, "max_features": max_features, "random_state": seed}
        forest = kind(50, **options).fit(X, y)
        for rows in (X, new):
            signal, *noise = local_mdi(forest, rows).mean().importances_mean
            assert signal > 1.3 * max(noise) and min(noise) > 0.15 * signal


@pytest.mark.parametrize("kind", [ExtraTreesClassifier, RandomForestClassifier])
def test_shallow_trees_with_large_leaves_leave_the_noise_little_to_collect(kind):
    """Varies: kind of forest, criterion, number of rows, seed."""
    for seed, (criterion, n) in enumerate((("entropy", 300), ("gini", 300), ("entropy", 600))):
        rng = np.random.default_rng(seed)
        X, y = noisy_sample(rng, n, 0.75)
        new, _ = noisy_sample(rng, n, 0.75)
        options = {"max_depth": 3, "min_samples_leaf": 30, "random_state": seed}
        forest = kind(50, criterion=criterion, **options).fit(X, y)
        for rows in (X, new):
            signal, *noise = local_mdi(forest, rows).mean().importances_mean
            assert max(noise) < 0.4 * signal


@pytest.mark.parametrize("agree", [0.75, 0.9])
def test_rows_outside_the_bag_give_noise_nothing_unless_they_make_the_impurities_themselves(agree):
    """Judging the splits is the cure, another impurity is none.

    Varies: strength of the signal, seed.
    """
    judged, own = [], []
    for seed in range(4):
        X, y = noisy_sample(np.random.default_rng(seed), 300, agree)
        forest = RandomForestClassifier(30, random_state=seed).fit(X, y)
        judged.append(unbiased_mdi(forest, X, y).importances_mean)
        outside = in_bag_counts(forest, X) == 0
        own.append(
            np.mean(
                [
                    decreases(tree, X[outside[:, t]], y[outside[:, t]])
                    for t, tree in enumerate(forest.estimators_)
                ],
                axis=0,
            )
        )
    (signal, *noise), (_, *still) = np.mean(judged, axis=0), np.min(own, axis=0)
    assert max(map(abs, noise)) < 0.2 * signal
    assert min(still) > 0.01


def decreases(tree, X, y) -> np.ndarray:
    """MDI (Gini) of a tree's splits with the impurities of these rows."""
    inner, passed = tree.tree_, tree.decision_path(X.astype(np.float32)).toarray().astype(int)
    ones, rows = passed.T @ (y == 1), passed.sum(axis=0)
    share = ones / np.maximum(rows, 1)
    weighted = rows / len(y) * 2 * share * (1 - share)
    inside = np.flatnonzero(inner.children_left >= 0)
    left, right = inner.children_left[inside], inner.children_right[inside]
    drops = weighted[inside] - weighted[left] - weighted[right]
    assert drops.min() > -1e-12
    return np.bincount(inner.feature[inside], drops, minlength=X.shape[1])


# The figures of the paper


@pytest.mark.parametrize("split", range(1, at_most(2, 2, 4)))
def test_in_other_splits_the_gap_is_a_little_more_than_01_at_k_1_and_below_01_at_8_and_64(split):
    """Varies: split, K, pair of measures, image."""
    X, y = load_digits(return_X_y=True)
    X, new, y, y_new = train_test_split(X, y, test_size=0.5, stratify=y, random_state=split)
    gaps = {}
    for K in (1, 8, 64):
        options = {"max_features": K, "criterion": "entropy", "random_state": split}
        forest = ExtraTreesClassifier(100, **options).fit(X, y)
        seen, unseen = (
            explain(forest, images[:n], digits[:n]).agreements
            for n, images, digits in ((20, X, y), (60, new, y_new))
        )
        gaps[K] = [seen[p].mean() - unseen[p].mean() for p in seen if "local MDI" in p]
    assert 0.08 < min(gaps[1]) and max(gaps[1]) < 0.2
    assert max(gaps[8] + gaps[64]) < 0.1 and max(gaps[8] + gaps[64]) < min(gaps[1])


def test_in_a_thousand_trees_the_measures_agree_by_about_09_on_training_images():
    """Varies: K, pair of measures, image."""
    for K in CANDIDATES:
        means = {pair: v.mean() for pair, v in stored_agreements(K, SAMPLES[0]).items()}
        assert 0.88 < min(means.values()) and max(means.values()) < 0.97
        assert max(means, key=means.get) == "Saabas, tree SHAP"


def test_on_held_out_images_those_with_local_mdi_agree_less_and_the_other_two_stay_close():
    """Varies: K, pair of measures, image."""
    for K in CANDIDATES:
        seen, new = (stored_agreements(K, sample) for sample in SAMPLES)
        for pair in ("local MDI, tree SHAP", "local MDI, Saabas"):
            gap = seen[pair].mean() - new[pair].mean()
            assert 0.75 < new[pair].mean() < 0.86 and gap > 0.05
            assert K > 8 or 0.1 < gap < 0.14
        assert new["Saabas, tree SHAP"].mean() > 0.9


def test_on_the_display_the_lower_right_of_the_2_leads_at_k_1_and_not_at_7_except_by_saabas():
    """Varies: K, measure, number of trees."""
    for n_trees in (100, 300):
        first, last = (explained_display(K, digit=2, n_trees=n_trees) for K in (1, 7))
        assert all(values[0].argmax() == 5 for values in first.values.values())
        leaders = {name: int(values[0].argmax()) for name, values in last.values.items()}
        assert leaders == {"local MDI": 1, "Saabas": 5, "tree SHAP": 1}
