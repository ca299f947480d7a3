// This file is bundled into every program. It may import only parts of Node, and each only where the part is used.

/**
 * The first program of a worker thread in an executable. It mounts the files of the executable, since Node
 * mounts them for the main thread only, and then runs the requested program.
 */
const mountAndRun = (file: string) => `
const { create, MemoryProvider } = require("node:vfs");
const { getAssetKeys, getRawAsset } = require("node:sea");
const { dirname } = require("node:path");
const files = create(new MemoryProvider());
for (const key of getAssetKeys()) {
  if (!/[.](?:[cm]?js|json|node)$/.test(key)) continue;
  files.mkdirSync(dirname("/" + key), { recursive: true });
  files.writeFileSync("/" + key, Buffer.from(getRawAsset(key)));
}
files.mount();
require(files.mountPoint + ${JSON.stringify(`/${file}`)});`;

/**
 * Lets programs of worker threads be files within an executable of Node's single executable applications. Does nothing
 * elsewhere.
 * @param programFolder folder where the files within the executable are mounted
 */
export function runWorkersOfExecutable(programFolder: string): void {
  if (!process.getBuiltinModule("node:sea").isSea()) {
    return;
  }
  const threads = process.getBuiltinModule("node:worker_threads");
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(file: string | URL, options?: ConstructorParameters<typeof Worker>[1]) {
      const path = file instanceof URL ? process.getBuiltinModule("node:url").fileURLToPath(file) : file;
      if (options?.eval !== true && path.startsWith(programFolder)) {
        super(mountAndRun(path.slice(programFolder.length + 1)), { ...options, eval: true });
      } else {
        super(file, options);
      }
    }
  };
}
