"""One function a task, called by Python users and by the command line alike."""
