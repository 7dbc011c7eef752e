/**
 * Thrown before a request starts because a budget applies, and the price of its model is not known, or what a field of
 * the request costs.
 */
export class ModelPriceUnknownError extends Error {
  override readonly name = 'ModelPriceUnknownError';
  /** Public name of the model. */
  readonly model: string;
  /** Field of the request that a host may charge for; undefined if the price of the model is unknown. */
  readonly field: string | undefined;

  constructor(model: string, field?: string | undefined) {
    super(
      field === undefined
        ? `The model '${model}' can't be used under a budget: its price is not known.`
        : `'${field}' can't be used under a budget: what it costs is not known.`,
    );
    this.model = model;
    this.field = field;
  }
}
