import { defineTexts } from '../../texts/define-texts.ts';

/** Texts about groups. */
export const groupTexts = defineTexts({
  en: {
    onlyAdmins: 'Only admins of this group can change its settings.',
    anonymous:
      'You are posting as the group, so I can’t see who you are. Post as yourself to get an answer; buttons work either way.',
    noVision:
      'But Telegram only shows me messages addressed to me. To let me see the others, make me an admin of this group. Or turn off my privacy mode in @BotFather (/setprivacy), add me to the group again and turn this on once more.',
  },
  ru: {
    onlyAdmins: 'Настройки группы могут менять только её администраторы.',
    anonymous:
      'Вы пишете от имени группы, и я не вижу, кто вы. Напишите от своего имени, и я отвечу; кнопки работают и так.',
    noVision:
      'Но Telegram показывает мне здесь только сообщения, обращённые ко мне. Чтобы я видел остальные, сделайте меня администратором группы. Или выключите мой режим приватности в @BotFather (/setprivacy), добавьте меня в группу заново и включите это ещё раз.',
  },
});
