import { listBots, pressInline } from './chats.ts';
import type { StormPlace, Work } from './storm.ts';

const FIRST_NUMBER = 70_000;

/** Options of a private service whose first user is its admin. */
export const ACCESS_OPTIONS = {
  settings: { ADMIN_IDS: `${1_000_000 + FIRST_NUMBER}`, ALLOWED_IDS: '1' },
  simulator: { firstNumber: FIRST_NUMBER },
};

/** Creates decisions about requests for access: each user is let in and told so once, and the admin reads the decision. */
export async function createDecisions({ stage }: StormPlace): Promise<Work> {
  const asking: { readonly name: string; readonly chatId: number }[] = [];
  stage.writes('/start');
  await stage.says('Hi!');
  return {
    async begin(round) {
      const name = `User${round}`;
      const user = stage.user(name);
      asking.push({ name, chatId: user.chatId });
      user.writes('Hello');
      await user.taps('Ask for access');
      await pressInline(stage, { text: `${name} asks for access`, label: 'Allow' });
    },
    findComplaints: () =>
      asking.flatMap(({ name, chatId }) => {
        const told = listTexts(chatId).filter((text) => text.startsWith('You now have access')).length;
        const isShown = stage.said().some((text) => text.includes(`${name}: allowed by you`));
        return told === 1 && isShown ? [] : [`${name}: told ${told} times, ${isShown ? 'shown' : 'not shown'}`];
      }),
    /** The user is let in. */
    async end() {
      for (const { name, chatId } of asking) {
        stage.telegram.control.sendMessage(chatId, { text: `Question of ${name}` });
        await stage.waitFor(
          () => listTexts(chatId).some((text) => text.includes('Hello, world!')),
          () => `no answer to ${name}`,
        );
      }
    },
  };

  function listTexts(chatId: number): readonly string[] {
    return listBots({ stage }, chatId).map(({ text = '' }) => text);
  }
}
