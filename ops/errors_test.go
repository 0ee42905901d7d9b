package ops_test
