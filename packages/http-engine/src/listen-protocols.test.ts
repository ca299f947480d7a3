import { expect, test } from "vitest";
import { protocolsByAddress } from "./listen-protocols.ts";

test.each([
  [{ listen: [":1"] }, [["h1", "h2"]]],
  [{ listen: [":1", ":2"], protocols: ["h1"] }, [["h1"], ["h1"]]],
  [{ listen: [":1-2", ":3"], listen_protocols: [["h1"], null] }, [["h1"], ["h1"], ["h1", "h2"]]],
  [{ listen: [":1"], protocols: ["h1"], listen_protocols: [["", "h2c"]] }, [["h1", "h2c"]]],
])("%j", (config, expected) => {
  expect(protocolsByAddress(config)).toEqual(expected);
});

test("there is one list for each address", () => {
  expect(() => protocolsByAddress({ listen: [":1"], listen_protocols: [] })).toThrow(
    "listener protocols count does not match address count: 0 != 1",
  );
});
