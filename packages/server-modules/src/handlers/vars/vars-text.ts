import type { ModuleText } from "serverfile/module-text";
import { fs } from "./fs-directive.ts";
import { logLevel } from "./log-level-directive.ts";
import { logName } from "./log-name-directive.ts";
import { logSkip } from "./log-skip-directive.ts";
import { root } from "./root-directive.ts";
import { vars } from "./vars-directive.ts";
import { vars as toText } from "./vars-lines.ts";

export const varsText: ModuleText = {
  directives: {
    vars,
    fs,
    root,
    skip_log: logSkip,
    log_skip: logSkip,
    log_name: logName,
    log_level: logLevel,
  },
  toText,
};
