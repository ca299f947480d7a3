// A process that passes batches through a journal until it is killed. Arguments: folder, a word of its own.
// It prints each batch that is acknowledged, and each segment when storage would have it, before it is removed.

import { writeSync } from "node:fs";
import { openJournalFolder } from "../src/pipeline/journal/open-journal-folder.ts";
import { quietLog } from "./receiver-fixture.ts";

const [folder = "", word = ""] = process.argv.slice(2);
const journal = await openJournalFolder(
  {
    folder,
    sync: "always",
    maxBytes: 1e9,
    segmentRows: 3,
    segmentBytes: 1e9,
    segmentAgeMs: 1e6,
    busySegmentRows: 1e6,
  },
  { committed() {} },
  quietLog,
);

async function send(sender: number): Promise<void> {
  for (let index = 0; ; index++) {
    const batch = `<${word}, sender ${sender}, batch ${index}>`;
    const filling = "x".repeat((index * 977 + sender * 331) % 9_000);
    await journal.append({ bytes: Buffer.from(batch + filling), count: 1 });
    writeSync(1, `${JSON.stringify({ acknowledged: batch })}\n`);
  }
}

async function store(): Promise<void> {
  for (;;) {
    const segment = await journal.take();
    if (segment === undefined) {
      return;
    }
    const { bytes } = await segment.read(Buffer.alloc(segment.bytes));
    writeSync(1, `${JSON.stringify({ token: segment.token, text: Buffer.from(bytes).toString() })}\n`);
    await journal.remove(segment);
  }
}

await Promise.all([send(0), send(1), send(2), store(), store()]);
