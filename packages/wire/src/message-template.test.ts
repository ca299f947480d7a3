import { expect, test } from "vitest";
import { messageTemplate } from "./message-template.ts";

test.each([
  ['card 4111-22 was declined: order "A 7"', "card <number><number> was declined: order <text>"],
  ["user 6f1c2d3e-1111-2222-3333-444455556666 is gone", "user <id> is gone"],
  ["can't open http://x.example/a?b=1 (404)", "can't open <url> (<number>)"],
  ["key deadbeef00 in 'cart'", "key <id> in <text>"],
  ["HTTP2 error in v8", "HTTP2 error in v8"],
])("the template of %s", (message, template) => {
  expect(messageTemplate(message)).toBe(template);
});
