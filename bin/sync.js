"use strict";
// The child process that runs syncs for a long-lived parent.
const { keepCode, load } = require("./load.js");

keepCode("sync");
load("worker").runSyncProcess();
