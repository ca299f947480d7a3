import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let gc: NodeJS.GCFunction | undefined;

/**
 * Runs V8's garbage collector for this thread now, without `--expose-gc` at the start. It takes some 3 to 30 ms.
 * @param flavor `last-resort` frees as much memory as possible. It also frees the compiled code of idle functions,
 * which must be compiled again when they run. `regular` is V8's own collection.
 */
export function collectGarbage(flavor: "regular" | "last-resort"): void {
  if (gc === undefined) {
    setFlagsFromString("--expose-gc");
    gc = runInNewContext("globalThis.gc") as NodeJS.GCFunction;
  }
  gc({ type: "major", flavor });
}
