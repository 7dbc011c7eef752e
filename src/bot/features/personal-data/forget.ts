import { Composer } from 'grammy';
import { sleep } from '../../../lib/clock.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { leadToPrivate } from '../../framework/lead-to-private.ts';
import { onPress, type PressAnswer } from '../../framework/press.ts';
import { showView } from '../../framework/view.ts';
import { isPrivate } from '../files/own-file.ts';
import type { InlineWork } from '../inline-mode/inline-answers.ts';
import { type OngoingWork, stopWork } from '../stop/ongoing-work.ts';

/** Whoever asks and goes away is not surprised by an old button, milliseconds. */
const CONFIRM_WITHIN_MS = 600_000;

/** What is under way writes its end down: longer than that nobody waits for it, milliseconds. */
const END_WITHIN_MS = 20_000;

/** What may be under way for the person, in whatever chat. */
interface AllWork extends OngoingWork {
  readonly inline: InlineWork;
}

/**
 * `/forget`: stops everything that is done for the person, in all chats, and removes everything that is kept of them, after a question
 * that says what that means. In private chats only.
 */
export function createForgetFeature(deps: BotDeps, work: AllWork): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('forget', async (ctx) => {
    const { personalData, buttons } = ctx.texts;
    if (!isPrivate(ctx)) return leadToPrivate(ctx, personalData.onlyPrivate);
    const { conversations, files } = await deps.personalData.look(ctx.person.id);
    const rows = [
      [{ text: personalData.forgetNow, choice: { kind: 'forget-everything' } as const }],
      [{ text: buttons.cancel, choice: { kind: 'close-menu' } as const }],
    ];
    const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), rows, CONFIRM_WITHIN_MS);
    return showView(ctx, { text: personalData.askForget(conversations, files), keyboard });
  });
  composer.use(onPress(deps, 'forget-everything', (ctx) => forget(deps, ctx, work)));
  return composer;
}

/** The press is answered first: many files take their time. */
async function forget(deps: BotDeps, ctx: BotContext, work: AllWork): Promise<PressAnswer> {
  if (!isPrivate(ctx)) return { hint: ctx.texts.stalePress };
  const personId = ctx.person.id;
  return {
    afterwards: async () => {
      await stopWork(work, 'everywhere', personId);
      work.inline.stop(ctx.person);
      await endWork(deps, work, personId);
      await deps.personalData.forget(personId);
      await showView(ctx, { text: ctx.texts.personalData.forgotten });
    },
  };
}

/** What ends later would write words down that are forgotten by then. */
async function endWork({ clock }: BotDeps, work: AllWork, personId: number): Promise<void> {
  const { answers, drawings, saving, voices, inline } = work;
  const patience = new AbortController();
  const ended = Promise.all([answers, drawings, saving, voices, inline].map((one) => one.whenEnded(personId)));
  await Promise.race([ended, sleep(clock, END_WITHIN_MS, patience.signal).catch(() => {})]);
  patience.abort();
}
