import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { notePartial, partialBehavior, reasonsShown } from "./partial-answers.ts";

const reason = { kind: "shard-away", name: "2", text: "no server of shard 2 answers" };
const part = { kind: "part-damaged", name: "tracing.spans 1_1_1_0", text: "ü", startUnixMs: 1, endUnixMs: 2 };

function answering(said: { header?: string; body?: unknown; fails?: boolean }) {
  const headers = said.header === undefined ? {} : { "x-tracing-partial": said.header };
  return async ({ signal }: { signal: AbortSignal }) => {
    notePartial(signal, new Response("", { headers }), said.body ?? {});
    if (said.fails === true) {
      throw new Error("not found");
    }
    return "data";
  };
}

test("what a query that is looked at lacks is shown, until it is asked again and lacks nothing", async () => {
  const client = new QueryClient({
    defaultOptions: { queries: { behavior: partialBehavior, retry: false } },
  });
  const shown = () => reasonsShown(client.getQueryCache().getAll());
  let said: Parameters<typeof answering>[0] = { header: JSON.stringify([reason]) };
  const queryFn = (context: { signal: AbortSignal }) => answering(said)(context);
  const observer = new QueryObserver(client, { queryKey: ["one"], queryFn });
  const leave = observer.subscribe(() => {});
  await observer.refetch();
  expect(shown()).toEqual([reason]);
  said = { body: { data: [], partial: true, warnings: [reason, part] }, header: JSON.stringify([reason]) };
  await observer.refetch();
  expect(shown()).toEqual([reason, part]);
  said = { header: "?" };
  await observer.refetch();
  expect(shown()).toEqual([{ kind: "", name: "", text: "?" }]);
  // Not found, and perhaps only because something is missing.
  said = { header: JSON.stringify([part]), fails: true };
  await observer.refetch();
  expect(shown()).toEqual([part]);
  said = {};
  await observer.refetch();
  expect(shown()).toEqual([]);
  said = { header: JSON.stringify([reason]) };
  await observer.refetch();
  leave();
  // Nobody looks at it.
  expect(shown()).toEqual([]);
  client.clear();
});
