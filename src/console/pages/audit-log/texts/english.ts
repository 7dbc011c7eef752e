export const english = {
  time: 'Time',
  admin: 'Admin',
  action: 'Action',
  subject: 'About',
  reason: 'Note',
  key: (id: number) => `by key ${id}`,
  empty: 'No admin has done anything yet.',
};
