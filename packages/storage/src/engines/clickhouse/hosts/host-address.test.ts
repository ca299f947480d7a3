import { describe, expect, test } from "vitest";
import { hostAddress } from "./host-address.ts";

const defaults = { user: "u", password: "p" };

describe("hostAddress", () => {
  test.each([
    ["http://a:8123", { url: "http://a:8123/", user: "u", password: "p" }],
    ["https://me:s%40fe@a/x", { url: "https://a/x", user: "me", password: "s@fe" }],
    ["http://me@a", { url: "http://a/", user: "me", password: "" }],
    ["http://:only%zz@a", { url: "http://a/", user: "u", password: "only%zz" }],
  ])("reads %s", (text, address) => {
    expect(hostAddress(text, defaults)).toEqual(address);
  });

  test.each(["localhost:8123", "ftp://a", "", "http://me:secret@"])(
    "refuses %j, and repeats no password",
    (text) => {
      expect(() => hostAddress(text, defaults)).toThrow(expect.objectContaining({ code: "STORAGE_REFUSED" }));
      expect(() => hostAddress(text, defaults)).not.toThrow("secret");
    },
  );
});
