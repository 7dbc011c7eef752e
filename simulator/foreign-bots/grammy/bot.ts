import { Bot, InlineKeyboard, InputFile } from 'grammy';

const apiRoot = process.env.API_ROOT ?? 'http://127.0.0.1:8081';
const bot = new Bot(process.env.BOT_TOKEN ?? '', { client: { apiRoot } });

bot.command('start', (ctx) => ctx.reply(`Hello, <b>${ctx.from?.first_name}</b>!`, { parse_mode: 'HTML' }));

bot.on('message:text', (ctx) =>
  ctx.reply(ctx.message.text, { reply_markup: new InlineKeyboard().text('Shout', 'shout') }),
);

bot.on('message:document', async (ctx) => {
  const { file_path: path } = await ctx.getFile();
  const download = await fetch(`${apiRoot}/file/bot${bot.token}/${path}`);
  const copy = new InputFile(new Uint8Array(await download.arrayBuffer()), `copy of ${ctx.message.document.file_name}`);
  await ctx.replyWithDocument(copy);
});

bot.callbackQuery('shout', async (ctx) => {
  await ctx.editMessageText(ctx.msg?.text?.toUpperCase() ?? '');
  await ctx.answerCallbackQuery('Done');
});

await bot.start();
