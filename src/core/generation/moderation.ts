import type { ModerationInput, ModerationModel, ModerationRequest, Moderations } from '../models/index.ts';
import { guessTokens } from './metering/estimate-tokens.ts';
import { meterPrompt } from './metering/meter-prompt.ts';
import { TOKENS_PER_IMAGE } from './metering/prompt-bound.ts';
import type { MeteringDeps } from './metering/reserve-and-settle.ts';
import type { Requester } from './requester.ts';

interface ModerationGenerationDeps extends MeteringDeps {
  /** Router; takes public model names. */
  readonly moderation: ModerationModel;
}

/**
 * Creates moderation with limits and usage recording. Hosts report no tokens, so the tokens of texts are estimated.
 * Throws the errors of the router and `LimitExceededError`.
 */
export function createModerationGeneration(deps: ModerationGenerationDeps) {
  return {
    moderate: (requester: Requester, request: ModerationRequest, signal: AbortSignal): Promise<Moderations> => {
      const estimateTokens = () => guessTokens(request.inputs.flatMap(listTexts));
      const boundTokens = () => request.inputs.reduce((sum, input) => sum + boundInput(input), 0);
      const { model, extraFields } = request;
      const use = { kind: 'moderation', model, extraFields, signal, estimateTokens, boundTokens } as const;
      return meterPrompt(deps, requester, use, () => deps.moderation.moderate(request, signal));
    },
  };
}

function boundInput(input: ModerationInput): number {
  const images = typeof input === 'string' ? 0 : input.filter(({ type }) => type !== 'text').length;
  return 16 + images * TOKENS_PER_IMAGE + listTexts(input).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

function listTexts(input: ModerationInput): readonly string[] {
  return typeof input === 'string' ? [input] : input.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}
