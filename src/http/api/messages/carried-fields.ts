import type { UnknownFields } from '../../../core/models/index.ts';
import { findJsonExcess } from '../../../lib/find-json-excess.ts';
import { isJsonObject, parseJson } from '../../../lib/json.ts';

/**
 * Data that a host requires in the next request and that has no field in Anthropic's protocol. The `signature` of a
 * thinking block carries it, because clients send that back unchanged.
 */
export interface CarriedFields {
  /** Whether the host requires the text of the thinking block. */
  readonly mustBeSentBack?: boolean | undefined;
  /** Reasoning that the host requires and that the client did not ask for. */
  readonly reasoning?: string | undefined;
  /** `native` of the tool call that follows the thinking block. */
  readonly toolCall?: UnknownFields | undefined;
}

const PREFIX = 'switchboard.';
/** More than the reasoning of any answer. */
export const MAX_CARRIED_CHARACTERS = 1024 * 1024;
/** Limits for what clients send, because parsing many values blocks the event loop. */
const JSON_LIMITS = { depth: 10, values: 20 };

/** Returns the signature that carries the fields; empty if there is nothing to carry, or too much. */
export function toSignature({ mustBeSentBack, reasoning, toolCall }: CarriedFields): string {
  if (!mustBeSentBack && !reasoning && !toolCall) return '';
  const json = JSON.stringify({
    mustBeSentBack: mustBeSentBack || undefined,
    reasoning: reasoning || undefined,
    toolCall,
  });
  return json.length > MAX_CARRIED_CHARACTERS ? '' : PREFIX + Buffer.from(json).toString('base64url');
}

/** Returns the fields of a signature; none for signatures of Anthropic's models. */
export function readSignature(signature: unknown): CarriedFields {
  if (typeof signature !== 'string' || !signature.startsWith(PREFIX)) return {};
  const json = Buffer.from(signature.slice(PREFIX.length), 'base64url');
  const fields = findJsonExcess(json, JSON_LIMITS) ? undefined : parseJson(json.toString('utf8'));
  if (!isJsonObject(fields)) return {};
  const { mustBeSentBack, reasoning, toolCall } = fields;
  return {
    mustBeSentBack: mustBeSentBack === true,
    reasoning: typeof reasoning === 'string' ? reasoning : undefined,
    toolCall: isJsonObject(toolCall) ? toolCall : undefined,
  };
}
