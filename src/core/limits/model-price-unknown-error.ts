/** Thrown before a request starts because a budget applies and the price of its model is not known. */
export class ModelPriceUnknownError extends Error {
  override readonly name = 'ModelPriceUnknownError';
  /** Public name of the model. */
  readonly model: string;

  constructor(model: string) {
    super(`The model '${model}' can't be used under a budget: its price is not known.`);
    this.model = model;
  }
}
