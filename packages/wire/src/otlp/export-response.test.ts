import { describe, expect, test } from "vitest";
import { encodeExportResponse, encodeExportResponseJson } from "./export-response.ts";
import { decodeExportResponse } from "./read-export-response.ts";
import { encodeRpcStatus, encodeRpcStatusJson } from "./rpc-status.ts";

const full = { rejectedSpans: 0, errorMessage: "" };
const partial = { rejectedSpans: 2, errorMessage: "why" };

describe("export responses", () => {
  test("are an empty partial success when all was taken", () => {
    expect(Buffer.from(encodeExportResponse(full)).toString("hex")).toBe("0a00");
    expect(encodeExportResponseJson(full)).toBe('{"partialSuccess":{}}');
    expect(decodeExportResponse(Buffer.from("0a00", "hex"))).toEqual(full);
    expect(decodeExportResponse(new Uint8Array(0))).toEqual(full);
  });

  test("tell what was rejected and why", () => {
    expect(Buffer.from(encodeExportResponse(partial)).toString("hex")).toBe("0a0708021203776879");
    expect(encodeExportResponseJson(partial)).toBe(
      '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"why"}}',
    );
    expect(decodeExportResponse(encodeExportResponse(partial))).toEqual(partial);
    const wordless = { rejectedSpans: 2 ** 40, errorMessage: "" };
    expect(decodeExportResponse(encodeExportResponse(wordless))).toEqual(wordless);
    expect(encodeExportResponseJson(wordless)).toBe('{"partialSuccess":{"rejectedSpans":"1099511627776"}}');
  });
});

describe("google.rpc.Status", () => {
  test("is encoded for both request types", () => {
    expect(Buffer.from(encodeRpcStatus(3, "bad")).toString("hex")).toBe("08031203626164");
    expect(encodeRpcStatusJson(3, 'a "b"')).toBe('{"code":3,"message":"a \\"b\\""}');
  });
});
