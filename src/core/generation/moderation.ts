import type { ModerationInput, ModerationModel, ModerationRequest, Moderations } from '../models/index.ts';
import { guessTokens } from './guess-tokens.ts';
import { type MeteringDeps, meterPrompt } from './meter-prompt.ts';
import type { Requester } from './requester.ts';

/**
 * Moderation with limits and usage recording. Hosts report no tokens, so the tokens of texts are estimated. Throws the
 * errors of the router and `LimitExceededError`.
 */
export interface ModerationGeneration {
  moderate(requester: Requester, request: ModerationRequest, signal: AbortSignal): Promise<Moderations>;
}

interface ModerationGenerationDeps extends MeteringDeps {
  /** Router; takes public model names. */
  readonly moderation: ModerationModel;
}

export function createModerationGeneration(deps: ModerationGenerationDeps): ModerationGeneration {
  return {
    moderate: (requester, request, signal) => {
      const estimateTokens = () => guessTokens(request.inputs.flatMap(listTexts));
      const use = { kind: 'moderation', model: request.model, estimateTokens } as const;
      return meterPrompt(deps, requester, use, () => deps.moderation.moderate(request, signal));
    },
  };
}

function listTexts(input: ModerationInput): readonly string[] {
  return typeof input === 'string' ? [input] : input.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}
