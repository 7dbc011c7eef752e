import type { PageProps } from '../../page.ts';
import { UserList } from './user-list.tsx';
import { UserView } from './user-view.tsx';

export function UsersView({ rest: [id] }: PageProps) {
  return id === undefined ? <UserList /> : <UserView key={id} id={id} />;
}
