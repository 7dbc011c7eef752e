import { Composer } from 'grammy';
import type { Answers } from '../answers/answers.ts';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';
import { isPrivate } from '../files/own-file.ts';
import type { SaveJobs } from '../files/save-jobs.ts';
import type { PictureJobs } from '../imagine/picture-jobs.ts';
import { offerKeyboard } from '../keyboards/keyboard.ts';
import { onPress, type PressAnswer } from '../keyboards/press.ts';
import { showView } from '../keyboards/view.ts';
import { toPlace } from '../place.ts';
import type { VoiceJobs } from '../voice/voice-jobs.ts';

/** Whoever asks and goes away is not surprised by an old button, milliseconds. */
const CONFIRM_WITHIN_MS = 600_000;

/** What may be under way for the person. */
interface Work {
  readonly answers: Answers;
  readonly drawings: PictureJobs;
  readonly saving: SaveJobs;
  readonly voices: VoiceJobs;
}

/** `/forget`: removes everything that is kept of the person, after a question that says what that means. In private chats only. */
export function createForgetFeature(deps: BotDeps, work: Work): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('forget', async (ctx) => {
    const { personalData, buttons } = ctx.texts;
    if (!isPrivate(ctx)) return void (await ctx.reply(personalData.onlyPrivate));
    const { conversations, files } = await deps.personalData.look(ctx.person.id);
    const rows = [
      [{ text: personalData.forgetNow, choice: { kind: 'forget-everything' } as const }],
      [{ text: buttons.cancel, choice: { kind: 'close-menu' } as const }],
    ];
    const keyboard = await offerKeyboard(deps, ctx.person.id, rows, CONFIRM_WITHIN_MS);
    return showView(ctx, { text: personalData.askForget(conversations, files), keyboard });
  });
  composer.use(onPress(deps, 'forget-everything', (ctx) => forget(deps, ctx, work)));
  return composer;
}

/** The press is answered first: many files take their time. */
async function forget(
  deps: BotDeps,
  ctx: BotContext,
  { answers, drawings, saving, voices }: Work,
): Promise<PressAnswer> {
  if (!ctx.msg || !isPrivate(ctx)) return { hint: ctx.texts.stalePress };
  const place = toPlace(ctx.msg);
  const personId = ctx.person.id;
  return {
    afterwards: async () => {
      drawings.stop(place, personId);
      saving.stop(place, personId);
      voices.stop(place, personId);
      await answers.stop(place, personId);
      await deps.personalData.forget(personId);
      await showView(ctx, { text: ctx.texts.personalData.forgotten });
    },
  };
}
