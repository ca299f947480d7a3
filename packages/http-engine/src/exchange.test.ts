import { expect, test } from "vitest";
import { makeAnswering } from "./testing/make-exchange.ts";

test("a client that leaves while an upstream is asked has a status of its own", () => {
  const seen: number[] = [];
  const left = (isProxied: boolean) => {
    const { exchange } = makeAnswering({ server: { exchangeEnded: ({ status }) => void seen.push(status) } });
    exchange.proxied = isProxied ? { placeholder: () => undefined } : undefined;
    exchange.streamClosed();
  };
  left(true);
  left(false);
  expect(seen).toEqual([499, 0]);
});
