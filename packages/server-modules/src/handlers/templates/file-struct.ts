import type { BigIntStats } from "node:fs";
import { goMode } from "../../files/go-mode.ts";
import { TemplateStruct } from "./go-types.ts";

/** Letters of the kinds of files, for the highest bits of a mode, the highest first. */
const kinds = "dalTLDpSugct?";
const permissions = "rwxrwxrwx";

/** `-rw-r--r--` for the number of a mode. Source: Go, package io/fs, `FileMode.String` */
function modeText(mode: number): string {
  const has = (bit: number) => Math.floor(mode / 2 ** bit) % 2 === 1;
  const kind = [...kinds].filter((_, at) => has(31 - at)).join("");
  return (kind || "-") + [...permissions].map((letter, at) => (has(8 - at) ? letter : "-")).join("");
}

/** The mode of a file as templates see it: it prints as `-rw-r--r--`. @param mode from `goMode` */
export function fileMode(mode: number): TemplateStruct {
  const kind = Math.floor(mode / 512);
  return new TemplateStruct(
    "fs.FileMode",
    {
      IsDir: () => mode >= 2 ** 31,
      IsRegular: () => kind === 0,
      Perm: () => fileMode(mode % 512),
      String: () => modeText(mode),
    },
    () => modeText(mode),
  );
}

/** The result of the function `fileStat`: `{{(fileStat "a.txt").Size}}`. Source: Go, package io/fs, `FileInfo` */
export function fileStruct(name: string, stats: BigIntStats): TemplateStruct {
  return new TemplateStruct("fs.FileInfo", {
    Name: () => name,
    Size: () => Number(stats.size),
    Mode: () => fileMode(goMode(stats)),
    ModTime: () => stats.mtime,
    IsDir: () => stats.isDirectory(),
  });
}
