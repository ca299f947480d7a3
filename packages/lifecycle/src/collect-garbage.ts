import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let gc: NodeJS.GCFunction | undefined;

/**
 * Runs V8's garbage collector for this thread; the process needs no option `--expose-gc`. A collection takes about 3 to
 * 30 ms.
 * @param flavor `last-resort`: frees as much memory as possible. This also frees the compiled code of idle functions,
 * which must be compiled again when they run. `regular`: the same collection as V8's own
 */
export function collectGarbage(flavor: "regular" | "last-resort"): void {
  if (gc === undefined) {
    setFlagsFromString("--expose-gc");
    gc = runInNewContext("globalThis.gc") as NodeJS.GCFunction;
  }
  gc({ type: "major", flavor });
}
