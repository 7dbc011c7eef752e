import { Composer } from 'grammy';
import { MAX_PERSONAS, type OwnPersona } from '../../../core/personas/index.ts';
import { readStartPayload } from '../../../lib/start-link.ts';
import { texts as shippedTexts } from '../../choices/persona-texts.ts';
import {
  findPersona,
  findShippedPersona,
  type Persona,
  type ShippedPersonaKey,
  toOwn,
} from '../../choices/personas.ts';
import { isGroup, toChatTopic } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts, showView } from '../../kit/views.ts';
import { MAX_NAME_CHARACTERS } from './own-personas.ts';
import { texts } from './texts.ts';

const SHARE_KEY = /^[\w-]{22}$/;

/** `/start p_<persona>`: starts a conversation with a built-in persona, or with a copy of a shared one. */
export function createPersonaLinks(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('start', async (ctx, next) => {
    const key = readStartPayload(ctx.match, 'persona');
    if (key === undefined || isGroup(ctx.chat)) return next();
    const words = texts[ctx.locale];
    const shipped = findShippedPersona(key);
    const persona = shipped && (await findPersona(services, ctx.locale, shipped.key));
    if (shipped && persona) return beginWithShipped(services, ctx, persona, shipped.key);
    const shared = SHARE_KEY.test(key) ? await services.personas.findShared(key) : undefined;
    if (shared) return beginWithShared(services, ctx, shared);
    const list = { text: words.buttons.personas, action: { kind: 'list-personas', page: 0 } } as const;
    await showView(ctx, {
      text: words.unknownLink,
      keyboard: await storeKeyboard(services, toButtonTarget(ctx), [[list]]),
    });
  });
  return composer;
}

async function beginWithShipped(services: BotServices, ctx: BotContext, persona: Persona, key: ShippedPersonaKey) {
  const words = texts[ctx.locale];
  await begin(services, ctx, persona);
  const { description, example } = shippedTexts[ctx.locale][key];
  const rows = [[{ text: example, action: { kind: 'ask-example', example: 0, persona: key } as const }]];
  const text = `${words.linked(persona.label)} ${description}\n\n${words.forExample}`;
  await showView(ctx, { text, keyboard: await storeKeyboard(services, toButtonTarget(ctx), rows) });
}

/** Starts a conversation with a copy of a shared persona, and shows its instructions to the user. */
async function beginWithShared(services: BotServices, ctx: BotContext, shared: OwnPersona): Promise<void> {
  const words = texts[ctx.locale];
  const own = shared.userId === ctx.user.id ? shared : await copy(services, ctx.user.id, shared);
  if (own === 'full') return void (await ctx.reply(words.full(MAX_PERSONAS)));
  const persona = toOwn(own);
  await begin(services, ctx, persona);
  const linked = words.linked(persona.label);
  if (own === shared) return showView(ctx, { text: linked });
  const text = `${linked} ${words.copied}\n\n${own.instructions}`;
  await showView(ctx, { text, entities: markParts(text, 'expandable_blockquote', own.instructions) });
}

async function begin({ conversations }: BotServices, ctx: BotContext, { reference }: Persona): Promise<void> {
  if (!ctx.msg) return;
  const { id } = await conversations.startConversation(toChatTopic(ctx.msg), ctx.user.id);
  await conversations.setPromptSource(id, { kind: 'persona', persona: reference });
}

/** Copies a persona. An identical one is reused; a different one with the same name gets a number. */
async function copy(
  { personas }: BotServices,
  userId: number,
  { name, instructions }: OwnPersona,
): Promise<OwnPersona | 'full'> {
  const own = await personas.list(userId);
  const same = own.find((one) => one.instructions === instructions);
  if (same) return same;
  for (let number = 1; number <= own.length + 1; number += 1) {
    const end = number === 1 ? '' : ` ${number}`;
    const candidateName =
      Array.from(name)
        .slice(0, MAX_NAME_CHARACTERS - end.length)
        .join('') + end;
    const made = await personas.add(userId, { name: candidateName, instructions, isCopied: true });
    if (made !== 'taken') return made;
  }
  return 'full';
}
