import type { ModuleText } from "serverfile/module-text";
import { method } from "./method-directive.ts";
import { rewrite } from "./rewrite-directive.ts";
import { rewrite as toText } from "./rewrite-lines.ts";
import { tryFiles } from "./try-files-directive.ts";
import { tryFilesAt as runToText } from "./try-files-lines.ts";
import { uri } from "./uri-directive.ts";

export const rewriteText: ModuleText = {
  directives: { method, rewrite, uri, try_files: tryFiles },
  toText,
  runToText,
};
