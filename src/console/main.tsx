import { render } from 'preact';
import { beginSession, isLink } from './api/sign-in.ts';
import { App } from './app.tsx';
import { openMiniApp } from './telegram.ts';

const root = document.getElementById('app');
if (!root) throw new Error('The page has no place for the app');
// A link opened in this tab changes only the part of the address behind the `#`.
addEventListener('hashchange', () => {
  if (isLink()) location.reload();
});
const session = beginSession(openMiniApp());
render(<App signIn={session} />, root);
