import { parseJson } from '../../lib/json.ts';
import type { ToolCall, ToolCallDelta, UnknownFields } from '../models/index.ts';

/** Puts the calls of a streamed answer together. */
export interface ToolCallCollector {
  add(piece: ToolCallDelta): void;
  /** The calls with a name, in the order in which they began. */
  list(): readonly ToolCall[];
}

interface PendingCall {
  readonly index: number | undefined;
  id: string | undefined;
  name: string;
  written: string;
  readonly native: Record<string, unknown>;
}

/** Further calls of one answer are a model that repeats itself. */
const MAX_CALLS = 64;
const MAX_WRITTEN_CHARACTERS = 200_000;
/** Hosts add one or two. */
const MAX_NATIVE_FIELDS = 20;

/**
 * Hosts differ: most send a call in pieces under an index, some whole, some without an index, some every call under index 0.
 * A piece with another id begins another call.
 */
export function createToolCallCollector(): ToolCallCollector {
  const calls: PendingCall[] = [];

  const findCall = ({ id, index, name }: ToolCallDelta): PendingCall | undefined => {
    const known = index === undefined ? calls.at(-1) : calls.findLast((call) => call.index === index);
    const isOther = id !== undefined && known?.id !== undefined && id !== known.id;
    const isNew = known === undefined || isOther || (index === undefined && id === undefined && name !== undefined);
    if (!isNew) return known;
    if (calls.length >= MAX_CALLS) return undefined;
    const call: PendingCall = { index, id, name: '', written: '', native: {} };
    calls.push(call);
    return call;
  };

  return {
    add(piece) {
      const call = findCall(piece);
      if (!call) return;
      call.id = piece.id ?? call.id;
      addNative(call.native, piece.native);
      // A name comes whole; hosts that send it again with every piece mean the same one.
      if (call.name === '') call.name = piece.name ?? '';
      call.written = (call.written + piece.arguments).slice(0, MAX_WRITTEN_CHARACTERS);
    },
    list: () =>
      calls
        .filter(({ name }) => name !== '')
        .map(({ id, name, written, native }, at) => ({
          id: id ?? `call_${at + 1}`,
          name,
          arguments: written,
          ...(Object.keys(native).length > 0 ? { native } : {}),
        })),
  };
}

function addNative(known: Record<string, unknown>, fields: UnknownFields = {}): void {
  for (const [name, value] of Object.entries(fields))
    if (Object.hasOwn(known, name) || Object.keys(known).length < MAX_NATIVE_FIELDS) known[name] = value;
}

/** Returns the calls as they go back to the model: hosts parse the arguments again, and refuse the whole request where they are no JSON. */
export function toReturnedCalls(calls: readonly ToolCall[]): readonly ToolCall[] {
  return calls.map((call) => (parseJson(call.arguments) === undefined ? { ...call, arguments: '{}' } : call));
}
