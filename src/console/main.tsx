import { render } from 'preact';
import { App } from './app.tsx';
import { beginSession } from './sign-in.ts';
import { openMiniApp } from './telegram.ts';

const root = document.getElementById('app');
if (!root) throw new Error('The page has no place for the app');
const session = beginSession(openMiniApp());
render(<App signIn={session} />, root);
