import type { JsonObject } from '../../src/lib/json.ts';

/** An event of a stream. */
export interface MessagesEvent {
  readonly type: string;
  readonly data: JsonObject;
}

/** Reads the events of a stream, and checks that both lines have the same type. */
export function readMessagesEvents(text: string): readonly MessagesEvent[] {
  const blocks = text.split('\n\n');
  if (blocks.pop() !== '') throw new Error('the stream does not end with a blank line');
  return blocks.map((block) => {
    const [, type = '', data = ''] = /^event: (\w+)\ndata: (\{.*\})$/.exec(block) ?? [];
    const event = JSON.parse(data);
    if (event.type !== type) throw new Error(`event ${type} has the type ${event.type}`);
    return { type, data: event };
  });
}
