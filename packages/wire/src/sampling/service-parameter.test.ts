import { expect, test } from "vitest";
import { serviceParameter } from "./service-parameter.ts";

test.each([
  ["/sampling", undefined],
  ["/sampling?", undefined],
  ["/sampling?service=shop", "shop"],
  ["/sampling?service=", ""],
  ["/sampling?service", ""],
  ["/?x=1&service=a+b%20c%26%C3%A9&y", "a b c&é"],
  ["/?serv%69ce=a", "a"],
  ["/sampling?service=a&service=b", undefined],
  ["/sampling?service=a&service=", undefined],
  ["/sampling?service=a;b", undefined],
  ["/sampling?service=%zz", undefined],
  ["/sampling?service=%zz&service=a", "a"],
  ["/sampling?Service=a", undefined],
])("%s", (url, service) => {
  expect(serviceParameter(url)).toBe(service);
});
