import { expect, test } from 'vitest';
import { encodeForm } from '../../../../src/protocols/openai-media/encode-form.ts';

test('a form is read again as it was', async () => {
  const bytes = Buffer.from('\r\n--form-\0\xff\r\n', 'latin1');
  const { contentType, body } = encodeForm([
    { field: 'prompt', text: 'Zwei\r\nZeilen ünd 🦊' },
    { field: 'image[]', bytes, name: 'a "b"\r\nx: y.png', mediaType: 'image/png\r\nx: y' },
    { field: 'image[]', bytes: Buffer.alloc(0), name: 'ü.png', mediaType: 'image/png' },
  ]);
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  expect(form.get('prompt')).toBe('Zwei\r\nZeilen ünd 🦊');
  const [first, second, ...others] = form.getAll('image[]') as File[];
  expect([first?.name, second?.name, others]).toEqual(['a "b"\r\nx: y.png', 'ü.png', []]);
  expect(Buffer.from(await (first ?? new Response()).arrayBuffer())).toEqual(bytes);
  expect([...form.keys()]).toHaveLength(3);
});
