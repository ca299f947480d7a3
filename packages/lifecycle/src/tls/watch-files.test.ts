import { join } from "node:path";
import { expect, test } from "vitest";
import { watchFiles } from "./watch-files.ts";

test("files whose folder the system does not watch are read again and again, until the end", async () => {
  const folder = join(import.meta.dirname, "nowhere");
  const failures: string[] = [];
  const polled = Promise.withResolvers<void>();
  let polls = 0;
  const files = watchFiles(
    [join(folder, "tls.crt"), join(folder, "tls.key")],
    { pollMs: 0, unwatchedMs: 5 },
    () => {
      polls += 1;
      if (polls === 3) {
        files.close();
        polled.resolve();
      }
    },
    (failed, { message }) => failures.push(`${failed}: ${message}`),
  );
  await polled.promise;
  expect(failures).toEqual([expect.stringMatching(/nowhere: ENOENT/)]);
});
