/** Apache's library has no types; this file declares only its functions that write messages. */
declare module "thrift" {
  export interface Protocol {
    writeMessageBegin(name: string, type: number, sequence: number): void;
    writeStructBegin(name: string): void;
    writeStructEnd(): void;
    writeFieldBegin(name: string, type: number, id: number): void;
    writeFieldStop(): void;
    writeListBegin(type: number, size: number): void;
    writeBool(value: boolean): void;
    writeI16(value: number): void;
    writeI32(value: number): void;
    writeI64(value: unknown): void;
    writeDouble(value: number): void;
    writeString(value: string | Buffer): void;
    flush(): void;
  }

  const thrift: {
    Int64: new (bytes: Buffer) => unknown;
    TBufferedTransport: new (_: undefined, onFlush: (bytes: Buffer) => void) => unknown;
    TBinaryProtocol: new (transport: unknown, strictRead: boolean, strictWrite: boolean) => Protocol;
    TCompactProtocol: new (transport: unknown) => Protocol;
  };
  export default thrift;
}
