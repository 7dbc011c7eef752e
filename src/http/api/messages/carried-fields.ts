import type { UnknownFields } from '../../../core/models/index.ts';
import { findJsonExcess } from '../../../lib/find-json-excess.ts';
import { isJsonObject, parseJson } from '../../../lib/json.ts';

/**
 * What a host requires in the next request and what Anthropic's protocol has no field for. It is carried by the
 * `signature` of a thinking block, which clients send back unchanged.
 */
export interface CarriedFields {
  /** Whether the host requires the text of the thinking block. */
  readonly mustBeSentBack?: true;
  /** `native` of the tool call that follows the thinking block. */
  readonly toolCall?: UnknownFields;
}

const PREFIX = 'switchboard.';
/** Fields of hosts are a few kilobytes long. */
const MAX_SIGNATURE_CHARACTERS = 64 * 1024;
/** Limits for what clients send, because parsing many values blocks the event loop. */
const JSON_LIMITS = { depth: 10, values: 100 };

/** Returns the signature that carries the fields; empty if there is nothing to carry, or too much. */
export function toSignature(fields: CarriedFields): string {
  if (Object.keys(fields).length === 0) return '';
  const signature = PREFIX + Buffer.from(JSON.stringify(fields)).toString('base64url');
  return signature.length <= MAX_SIGNATURE_CHARACTERS ? signature : '';
}

/** Returns the fields of a signature; none for signatures of Anthropic's models. */
export function readSignature(signature: unknown): CarriedFields {
  if (typeof signature !== 'string' || !signature.startsWith(PREFIX)) return {};
  if (signature.length > MAX_SIGNATURE_CHARACTERS) return {};
  const json = Buffer.from(signature.slice(PREFIX.length), 'base64url');
  const fields = findJsonExcess(json, JSON_LIMITS) ? undefined : parseJson(json.toString('utf8'));
  if (!isJsonObject(fields)) return {};
  const { mustBeSentBack, toolCall } = fields;
  return { ...(mustBeSentBack === true && { mustBeSentBack }), ...(isJsonObject(toolCall) && { toolCall }) };
}
