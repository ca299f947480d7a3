import type { Command } from "../command.ts";
import { deleteCommand } from "./delete.ts";
import { diffCommand } from "./diff.ts";
import { exportCommand } from "./export.ts";
import { getCommand } from "./get.ts";
import { importCommand } from "./import.ts";
import { searchCommand } from "./search.ts";
import { servicesCommand } from "./services.ts";
import { sloCommand } from "./slo.ts";
import { tailCommand } from "./tail.ts";
import { topCommand } from "./top.ts";

/** All commands, in the order of `tracing help`. */
export const commands: readonly Command[] = [
  searchCommand,
  getCommand,
  diffCommand,
  servicesCommand,
  topCommand,
  sloCommand,
  tailCommand,
  exportCommand,
  importCommand,
  deleteCommand,
];
