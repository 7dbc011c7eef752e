import { createId } from '../../../lib/ids.ts';
import { readSmallJson } from '../../../lib/json/read-json.ts';
import { findContinuedCall, type ToolCall, type ToolCallDelta, type UnknownFields } from '../../models/index.ts';

interface PendingCall {
  readonly index: number | undefined;
  id: string | undefined;
  name: string;
  written: string;
  readonly native: Record<string, unknown>;
}

/** More calls in one answer indicate a model that repeats itself. */
const MAX_CALLS = 64;
const MAX_WRITTEN_CHARACTERS = 200_000;
/** Hosts add one or two fields. */
const MAX_NATIVE_FIELDS = 20;

/** Assembles the tool calls of a streamed answer. */
export function createToolCallCollector() {
  const calls: PendingCall[] = [];

  const findCall = (chunk: ToolCallDelta): PendingCall | undefined => {
    const pending = findContinuedCall(calls, chunk);
    if (pending) return pending;
    if (calls.length >= MAX_CALLS) return undefined;
    const call: PendingCall = { index: chunk.index, id: chunk.id, name: '', written: '', native: {} };
    calls.push(call);
    return call;
  };

  return {
    add(chunk: ToolCallDelta): void {
      const call = findCall(chunk);
      if (!call) return;
      call.id = chunk.id ?? call.id;
      addNative(call.native, chunk.native);
      // Names are not split; some hosts repeat the name in every delta.
      if (call.name === '') call.name = chunk.name ?? '';
      call.written = (call.written + chunk.arguments).slice(0, MAX_WRITTEN_CHARACTERS);
    },
    /** Returns the calls that have a name, in the order in which they started. */
    list: (): readonly ToolCall[] =>
      calls
        .filter(({ name }) => name !== '')
        .map(({ id, name, written, native }) => ({
          id: id ?? createId('call_'),
          name,
          arguments: written,
          ...(Object.keys(native).length > 0 ? { native } : {}),
        })),
  };
}

function addNative(pending: Record<string, unknown>, fields: UnknownFields = {}): void {
  for (const [name, value] of Object.entries(fields))
    if (Object.hasOwn(pending, name) || Object.keys(pending).length < MAX_NATIVE_FIELDS) pending[name] = value;
}

/**
 * Returns the calls to send back to the model. Arguments that are not valid JSON become `{}`, because hosts parse them
 * and would reject the whole request.
 */
export function toReturnedCalls(calls: readonly ToolCall[]): readonly ToolCall[] {
  return calls.map((call) => (readSmallJson(call.arguments) === undefined ? { ...call, arguments: '{}' } : call));
}
