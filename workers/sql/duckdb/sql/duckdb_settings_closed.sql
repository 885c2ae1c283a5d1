SET GLOBAL enable_external_access = false
