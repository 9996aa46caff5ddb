"use strict";
// The child process that runs syncs for a long-lived parent.
require("./load.js").load("worker").runSyncProcess();
