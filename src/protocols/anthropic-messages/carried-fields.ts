import { CARRIER_SIGNATURE, type UnknownFields } from '../../core/models/contract/chat-request.ts';
import { isJsonObject } from '../../lib/json/json.ts';
import { type Carrier, decodeCarried, encodeCarried } from '../fields/carried-json.ts';

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

const SIGNATURE: Carrier = { prefix: CARRIER_SIGNATURE, limits: { depth: 10, values: 1000 } };
/** More than the reasoning of any answer. */
export const MAX_CARRIED_CHARACTERS = 1024 * 1024;

/** Returns the signature that carries the fields; empty if there is nothing to carry, or too much. */
export function toSignature({ mustBeSentBack, reasoning, toolCall }: CarriedFields): string {
  if (!mustBeSentBack && !reasoning && !toolCall) return '';
  const json = JSON.stringify({
    mustBeSentBack: mustBeSentBack || undefined,
    reasoning: reasoning || undefined,
    toolCall,
  });
  return json.length > MAX_CARRIED_CHARACTERS ? '' : encodeCarried(SIGNATURE, json);
}

/** Returns the fields of a signature; none for signatures of Anthropic's models. */
export function readSignature(signature: unknown): CarriedFields {
  const fields = decodeCarried(SIGNATURE, signature);
  if (!fields) return {};
  const { mustBeSentBack, reasoning, toolCall } = fields;
  return {
    mustBeSentBack: mustBeSentBack === true,
    reasoning: typeof reasoning === 'string' ? reasoning : undefined,
    toolCall: isJsonObject(toolCall) ? toolCall : undefined,
  };
}
