import asyncio
import os

from aiogram import Bot, Dispatcher, F
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.enums import ParseMode
from aiogram.filters import CommandStart
from aiogram.types import BufferedInputFile, CallbackQuery, InlineKeyboardButton, InlineKeyboardMarkup, Message

dispatcher = Dispatcher()
SHOUT = InlineKeyboardMarkup(inline_keyboard=[[InlineKeyboardButton(text="Shout", callback_data="shout")]])


@dispatcher.message(CommandStart())
async def start(message: Message) -> None:
    await message.answer(f"Hello, <b>{message.from_user.first_name}</b>!", parse_mode=ParseMode.HTML)


@dispatcher.message(F.text)
async def echo(message: Message) -> None:
    await message.answer(message.text, reply_markup=SHOUT)


@dispatcher.message(F.document)
async def copy(message: Message, bot: Bot) -> None:
    content = await bot.download(message.document)
    await message.answer_document(BufferedInputFile(content.read(), f"copy of {message.document.file_name}"))


@dispatcher.callback_query(F.data == "shout")
async def shout(query: CallbackQuery) -> None:
    await query.message.edit_text(query.message.text.upper())
    await query.answer("Done")


async def main() -> None:
    session = AiohttpSession(api=TelegramAPIServer.from_base(os.environ["API_ROOT"]))
    await dispatcher.start_polling(Bot(os.environ["BOT_TOKEN"], session=session))


asyncio.run(main())
