import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts({
  en: {
    command: 'Summarise the message you reply to',
    request:
      'Summarise the recent messages in this group: the topics, who said what where it matters, what was decided, and which questions are open. Be brief.',
    askWhat: 'What should I summarise? Reply to a message with /summarise, or write the text after the command.',
    memoryIsOff:
      'I don’t remember messages here, so I can’t summarise them. An admin can turn that on in /settings. To summarise a single message, reply to it with /summarise.',
    heardNothing: 'There are no recent messages here.',
  },
  ru: {
    command: 'Пересказать сообщение, на которое отвечаете',
    request:
      'Подведи итог тому, что недавно говорили в этой группе: темы, кто что сказал, если это важно, что решили и какие вопросы остались открытыми. Коротко.',
    askWhat: 'Что изложить? Напишите /summarise в ответ на сообщение или с текстом после команды.',
    memoryIsOff:
      'Я не храню то, что здесь говорят, и не могу подвести итог. Администратор может включить это в /settings. Чтобы пересказать одно сообщение, ответьте на него командой /summarise.',
    heardNothing: 'Недавних сообщений я здесь не видел.',
  },
});
