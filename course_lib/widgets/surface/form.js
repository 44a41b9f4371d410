// Forms: predictions and their reveals, questions that answer back, the tests before and after.

import { mountPrediction } from "./form_prediction.js";
import { mountQuestions, mountTest } from "./form_questions.js";

const FORMS = { prediction: mountPrediction, reveal: mountPrediction, questions: mountQuestions, test: mountTest };

export function mountForm(root, spec, host) {
  return FORMS[spec.form](root, spec, host);
}
