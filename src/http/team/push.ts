import type { OpenAPIHono } from "@hono/zod-openapi";
import { scoped } from "./asking.ts";

/** Where machines send what is new. */
export function pushRoutes(app: OpenAPIHono): void {
  app.use("/api/team/push/*", scoped("push"));
}
