import { expect, test } from "vitest";
import { EngineError } from "../engine-error.ts";
import { damagedPart } from "./damaged-part.ts";

const uuid = "506dc9e1-414a-4d00-bf6d-7a3f2b5c4f10";
const path = `/data/engine/store/506/${uuid}/20261126_1_1_0/v.bin`;

test.each([
  [40, `Checksum doesn't match: corrupted data: While reading or decompressing ${path} (position: 5)`, true],
  [271, `Cannot decompress: (while reading from part ${path.replace("v.bin", "")} in table d.t`, true],
  [32, `Attempt to read after eof: while reading ${path}`, false],
  [
    39,
    `Too large size_compressed_without_checksum: 4294967295: While reading or decompressing ${path}`,
    true,
  ],
  [74, `Cannot read from file ${path}, errno: 5, strerror: Input/output error`, false],
  [107, `File ${path} does not exist`, false],
])("code %d names a part", (code, message, isCertain) => {
  expect(damagedPart(new EngineError(code, message))).toEqual({
    ...{ tableUuid: uuid, part: "20261126_1_1_0", isCertain },
  });
});

test.each([
  ["another error", 60, `Unknown table: ${path}`],
  ["no part is named", 40, "Checksum doesn't match in the body"],
  ["a path of the spool", 40, "Checksum doesn't match: While reading /data/spool/1"],
  ["a name that is none", 40, `While reading /data/store/506/${uuid}/a'b/v.bin`],
])("%s", (_, code, message) => {
  expect(damagedPart(new EngineError(code, message))).toBeUndefined();
});
