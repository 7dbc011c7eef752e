import type { Clock } from '../../../lib/clock.ts';
import { type Tool, ToolError } from '../tool.ts';

const MAX_ZONE_LENGTH = 100;

/** Creates the tool that returns date and time in any IANA time zone that Node's `Intl` knows. */
export function createCurrentTimeTool({ clock }: { readonly clock: Clock }): Tool {
  return {
    name: 'current_time',
    description:
      'The current date and time. Models do not know it by themselves: ask for it whenever an answer depends on today or now.',
    parameters: {
      type: 'object',
      properties: {
        time_zone: { type: 'string', description: 'IANA time zone, for example Asia/Tokyo. Default UTC.' },
      },
    },
    activity: 'looking-at-clock',
    isReadOnly: true,
    async run({ time_zone: asked }) {
      const timeZone = typeof asked === 'string' && asked.trim() !== '' ? asked.trim() : 'UTC';
      const format = timeZone.length <= MAX_ZONE_LENGTH ? findFormat(timeZone) : undefined;
      if (!format) throw new ToolError('there is no such time zone; name one like Europe/Berlin');
      const now = new Date(clock.now());
      return `${format.format(now)} (${timeZone}); ${now.toISOString()}`;
    },
  };
}

function findFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long', timeZone });
  } catch {
    return undefined;
  }
}
