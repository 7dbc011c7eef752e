import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ChatLeases, ChatLostError } from '../../../src/core/inbox/index.ts';

describe('the check of a lease that may have expired', () => {
  let chatLeases: ChatLeases;
  let asked: PromiseWithResolvers<boolean>[];
  let lease: Parameters<ChatLeases['run']>[0];
  beforeEach(() => {
    chatLeases = new ChatLeases();
    asked = [];
    lease = {
      chatQueue: 1,
      isLost: false,
      isInTime: () => false,
      isOwn: () => {
        const question = Promise.withResolvers<boolean>();
        asked.push(question);
        return question.promise;
      },
      lose() {
        Object.assign(this, { isLost: true });
      },
    };
  });
  const check = () => chatLeases.run(lease, async () => chatLeases.check());

  test('asks the database once for all calls of a chat', async () => {
    const checks = [check(), check()];
    asked[0]?.resolve(true);
    await Promise.all(checks);
    expect(asked).toHaveLength(1);
    const late = check();
    expect(asked).toHaveLength(2);
    asked[1]?.resolve(false);
    await expect(late).rejects.toThrow(ChatLostError);
    await expect(check()).rejects.toThrow(ChatLostError);
    expect(asked).toHaveLength(2);
  });

  test('passes without an answer, after a wait that later calls do not repeat', async () => {
    await check();
    await check();
    expect(asked).toHaveLength(1);
    asked[0]?.reject(new Error('the database does not answer'));
    await vi.waitFor(() => {
      void check();
      expect(asked).toHaveLength(2);
    });
  });

  test('passes when the database can not be asked', async () => {
    const checked = check();
    asked[0]?.reject(new Error('the database is away'));
    await checked;
  });
});
