import { type ListedModule, listed } from "server-core/modules/module";
import { fileSystemStorage } from "./file-system.ts";

/** Storage modules. They are a separate list, because commands open a storage without loading other modules. */
export const storageModules: readonly ListedModule[] = [
  listed("storage.file_system", () => fileSystemStorage),
];
