import { expect, test } from "vitest";
import { adaptServerfile, toServerfile } from "../../../admin-server/src/testing/serverfile.ts";

const text = (lines: string) => `{\n\tevents {\n${lines}\t}\n}\n`;
const adapted = (lines: string) => adaptServerfile(Buffer.from(text(lines)), {}).result;

test.each([
  [
    "\t\ton cert_obtained exec systemctl reload postfix\n",
    [
      {
        events: ["cert_obtained"],
        handlers: [{ handler: "exec", command: "systemctl", args: ["reload", "postfix"] }],
      },
    ],
  ],
  [
    '\t\ton * exec ./tell "{event.name} of {event.module}" {\n\t\t\tdir /srv\n\t\t\ttimeout 5s\n\t\t\tforeground\n\t\t\tabort_codes 3 4\n\t\t}\n\t\ton started exec ./up\n',
    [
      {
        events: [""],
        handlers: [
          {
            handler: "exec",
            command: "./tell",
            args: ["{event.name} of {event.module}"],
            dir: "/srv",
            timeout: 5e9,
            foreground: true,
            abort_codes: [3, 4],
          },
        ],
      },
      { events: ["started"], handlers: [{ handler: "exec", command: "./up" }] },
    ],
  ],
])("there and back: %s", async (lines, subscriptions) => {
  const result = adapted(lines);
  expect(result).toEqual({ apps: { events: { subscriptions } } });
  expect(await toServerfile(result)).toBe(text(lines));
});

test.each([
  ["\t\ton\n", "wrong argument count"],
  ["\t\ton started\n", "wrong argument count"],
  ["\t\ton started exec\n", "wrong argument count"],
  ["\t\ton started nope\n", "module not registered: events.handlers.nope"],
  ["\t\tonce started exec x\n", "wrong argument count"],
  ["\t\ton started exec x {\n\t\t\tabort_codes no\n\t\t}\n", "bad abort code 'no', at Serverfile:4"],
  ["\t\ton started exec x {\n\t\t\tnope\n\t\t}\n", "unrecognized subdirective 'nope', at Serverfile:4"],
])("%s is refused", (lines, message) => {
  expect(() => adapted(lines)).toThrow(message);
});

test.each([
  [
    { subscriptions: [{ handlers: [{ handler: "exec", command: "x" }] }] },
    "/config/apps/events/subscriptions/0",
  ],
  [{ subscriptions: [{ events: ["a"], handlers: [{ handler: "own" }] }] }, "subscriptions/0/handlers/0"],
  [
    { subscriptions: [{ events: ["a"], modules: ["tls"], handlers: [{ handler: "exec", command: "x" }] }] },
    "subscriptions/0/modules",
  ],
  [{ handler_timeout: "5s" }, "/config/apps/events/handler_timeout"],
])("%j has no text", async (events, path) => {
  await expect(toServerfile({ apps: { events } })).rejects.toMatchObject({
    code: "CONFIG_INEXPRESSIBLE",
    message: expect.stringContaining(path),
  });
});
