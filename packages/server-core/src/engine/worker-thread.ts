import { ServerError } from "../errors.ts";
import type { JsonValue } from "../json/json-value.ts";
import type { MessageTopics } from "../threads/thread-messages.ts";
import { withParts } from "../tree/changed-parts.ts";
import { reconcile } from "../tree/reconcile.ts";
import { decodeDocument } from "./config-document.ts";
import type { Participant, Transition } from "./participant.ts";
import { type PrepareTask, workerTopics } from "./workers.ts";

/** Lets the main thread control the apps of this worker thread: prepare, commit, roll back, stop. */
export function followMainThread(topics: MessageTopics, apps: Participant): void {
  let prepared: Transition | undefined;
  let running: JsonValue = null;
  let next: JsonValue = null;
  const take = (): Transition => {
    const transition = prepared;
    if (transition === undefined) {
      throw new ServerError("THREAD", "nothing is prepared");
    }
    prepared = undefined;
    return transition;
  };
  topics.on(workerTopics.prepare, async (value) => {
    const { text, parts, force, hasIds } = value as PrepareTask;
    // The main thread has validated the text, so faults need not be searched.
    const sent = text === undefined ? withParts(running, parts ?? []) : (JSON.parse(text) as JsonValue);
    // Data from another thread is a copy, so unchanged parts are replaced by the existing objects.
    next = reconcile(running, sent);
    prepared = await apps.prepare(decodeDocument(next, force, { text: "", hasIds, hasPrototypeKeys: false }));
  });
  topics.on(workerTopics.commit, async () => {
    running = next;
    const transition = take();
    await transition.commit();
    transition.committed?.();
  });
  topics.on(workerTopics.rollback, () => take().rollback());
  topics.on(workerTopics.stop, () => apps.stop());
}
