"use strict";
// Loaded before the program, in every thread of it: whatever would reach another machine, or let one in, is named on stderr and
// fails. Sockets are caught where Node hands them to the system, so it does not matter by which module they were asked for.
const { writeSync } = require("node:fs");

function refuse(owner, name, label) {
  if (typeof owner?.[name] !== "function") return;
  Object.defineProperty(owner, name, {
    value() {
      writeSync(2, `network: ${label}\n`);
      throw new Error(`network: ${label}`);
    },
  });
}

process.noDeprecation = true;
const handles = { tcp_wrap: "TCP", udp_wrap: "UDP", pipe_wrap: "Pipe" };
for (const [binding, type] of Object.entries(handles)) {
  const { prototype } = process.binding(binding)[type];
  for (const name of ["bind", "bind6", "listen", "connect", "connect6", "send", "send6"])
    refuse(prototype, name, `${type}.${name}`);
}
const resolver = process.binding("cares_wrap");
for (const name of ["getaddrinfo", "getnameinfo"]) refuse(resolver, name, name);
for (const name of Object.getOwnPropertyNames(resolver.ChannelWrap.prototype))
  if (name.startsWith("query") || name === "getHostByAddr") refuse(resolver.ChannelWrap.prototype, name, name);
for (const name of ["fetch", "WebSocket", "EventSource"]) refuse(globalThis, name, name);
refuse(require("node:inspector"), "open", "inspector.open");
process.noDeprecation = false;
