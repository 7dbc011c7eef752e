import { type Translate, translateExtraFields } from '../../../../protocols/extra-fields.ts';
import type { UnknownFields } from '../../contract/native-request.ts';
import type { CallOptions } from './sdk-vendor.ts';

/** Zero, the default, means the same as no setting. */
const amount =
  (option: 'frequencyPenalty' | 'presencePenalty' | 'topK'): Translate<CallOptions> =>
  (value) => {
    if (typeof value !== 'number') return undefined;
    return value === 0 ? {} : { [option]: value };
  };

/** Settings that the SDK has. Packages warn if their vendor does not. */
const SETTINGS: ReadonlyMap<string, Translate<CallOptions>> = new Map([
  ['frequency_penalty', amount('frequencyPenalty')],
  ['presence_penalty', amount('presencePenalty')],
  ['top_k', amount('topK')],
]);

/**
 * Converts the settings that the model interface does not name.
 * @throws UntranslatableError
 */
export function toExtraOptions(fields: UnknownFields | undefined): CallOptions {
  return translateExtraFields(fields, SETTINGS);
}
